import * as installed from "apache-arrow";
import { describeArrow } from "./suites/all.ts";

describeArrow(installed);
