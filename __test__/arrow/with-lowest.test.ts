import * as lowest from "arrow-lowest";
import { vi } from "vitest";
import { describeArrow } from "./suites/all.ts";

vi.mock("apache-arrow", () => import("arrow-lowest"));

describeArrow(lowest as never);
