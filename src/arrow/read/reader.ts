import type { Data } from "apache-arrow";
import type { RowValue } from "../row-value.ts";

/** Reads the value at an index of the data that it is bound to. */
export type ReadValue = (index: number) => RowValue;

/** Binds to one piece of data of the type that it was made for. */
export type ValueReader = (data: Data) => ReadValue;
