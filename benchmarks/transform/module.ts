// The transform of the suite, as a module.
import type { Batch, OutputColumns } from "lance-loader";
import { work } from "./work.ts";

/** Works on the ids. */
export default function transform(batch: Batch): OutputColumns {
  const id = batch.column("id") as Int32Array;
  return { id, worked: work(id) };
}
