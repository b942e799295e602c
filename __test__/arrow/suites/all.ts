import * as own from "apache-arrow";
import { expect, it } from "vitest";
import { columnBatch } from "../support/models.ts";
import type { Arrow } from "../support/spec.ts";
import { describeAccept } from "./accept.ts";
import { describeColumns } from "./columns.ts";
import { describeLaterTypes } from "./later-types.ts";
import { describeRows } from "./rows.ts";
import { describeSchema } from "./schema.ts";
import { describeViews } from "./views.ts";

/** All guarantees that hold for whichever apache-arrow is installed, here for `installed`. */
export function describeArrow(installed: Pick<Arrow, "Table">): void {
  it("the layer and its tests run on the copy that is meant", () => {
    expect(own.Table).toBe(installed.Table);
    expect(columnBatch({ kind: "bool" }, [true]).toArrow()).toBeInstanceOf(installed.Table);
  });
  describeSchema();
  describeRows();
  describeColumns();
  describeViews();
  describeAccept();
  describeLaterTypes();
}
