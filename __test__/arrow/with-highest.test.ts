import * as highest from "arrow-highest";
import { vi } from "vitest";
import { describeArrow } from "./suites/all.ts";

vi.mock("apache-arrow", () => import("arrow-highest"));

describeArrow(highest as never);
