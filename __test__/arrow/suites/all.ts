import { describeAccept } from "./accept.ts";
import { describeColumns } from "./columns.ts";
import { describeRows } from "./rows.ts";
import { describeSchema } from "./schema.ts";
import { describeViews } from "./views.ts";

/** All guarantees that hold for whichever apache-arrow is installed. */
export function describeArrow(): void {
  describeSchema();
  describeRows();
  describeColumns();
  describeViews();
  describeAccept();
}
