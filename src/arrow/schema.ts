import { RecordBatchReader, type Schema } from "apache-arrow";
import { LanceLoaderError } from "../errors.ts";
import { checkFields } from "./check-fields.ts";

/**
 * Decodes the schema of a stream of batches.
 *
 * @param bytes - an Arrow IPC stream; only its schema message is read.
 * @throws {@link LanceLoaderError} `UNSUPPORTED_TYPE` where the installed apache-arrow does not know a type or no batch
 * can hold it, with apache-arrow's error as the cause.
 */
export function decodeSchema(bytes: Uint8Array): Schema {
  const schema = readSchema(bytes);
  checkFields(schema.fields);
  return schema;
}

function readSchema(bytes: Uint8Array): Schema {
  let schema: Schema | undefined;
  try {
    schema = RecordBatchReader.from(bytes).open().schema;
  } catch (cause) {
    throw new LanceLoaderError(
      "UNSUPPORTED_TYPE",
      `The installed apache-arrow cannot read the schema (${cause instanceof Error ? cause.message : cause}): install a newer one, or leave the column out.`,
      { cause },
    );
  }
  // A stream that ends before its schema leaves none behind, whatever the type says.
  if (!schema)
    throw new LanceLoaderError("INTERNAL", `The ${bytes.length} bytes of the schema hold no Arrow schema.`);
  return schema;
}
