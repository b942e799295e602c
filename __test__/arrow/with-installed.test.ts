import { describeArrow } from "./suites/all.ts";

describeArrow();
