import { type Data, type DataType, Type, Vector } from "apache-arrow";
import { LanceLoaderError } from "../../errors.ts";
import { concatData } from "../concat/concat-data.ts";
import { type DataParts, makeData, valuesArray } from "../make-data.ts";
import { viewAs } from "../numeric.ts";
import { childFields, itemType, storageOf } from "../storage.ts";
import type { ForeignData, ForeignVector } from "./foreign.ts";
import { plainOffsets } from "./plain-offsets.ts";
import { plainViews } from "./plain-views.ts";
import { laterTypes } from "./type-acceptor.ts";

const plainTwins = new Map<number, Type>([
  [Type.LargeUtf8, Type.Utf8],
  [laterTypes.utf8View, Type.Utf8],
  [Type.LargeBinary, Type.Binary],
  [laterTypes.binaryView, Type.Binary],
  [laterTypes.largeList, Type.List],
]);

const nothing = new Uint8Array(0);

/**
 * Wraps another apache-arrow's data with the classes of our own copy, sharing its buffers wherever the types are stored alike.
 *
 * One dictionary of theirs becomes one of ours, so that columns and batches that share a dictionary go on sharing it.
 */
export class DataAcceptor {
  readonly #dictionaries = new Map<ForeignVector, Vector>();
  readonly #chunks = new Map<ForeignData, Data>();

  /**
   * Our own data for theirs.
   *
   * @param type - our own type, made from the schema of `data`.
   * @throws {@link LanceLoaderError} `INVALID_ARGUMENT` where the data is of another type than its schema says, `BATCH_TOO_LARGE`
   * where 64-bit offsets pass 2^31 - 1.
   */
  accept(data: ForeignData, type: DataType): Data {
    const typeId = plainTwins.get(data.type.typeId) ?? data.type.typeId;
    if (typeId !== type.typeId) {
      throw new LanceLoaderError(
        "INVALID_ARGUMENT",
        `The table's schema names the type ${type} for a column whose data has the type ${data.type}: make the two agree.`,
      );
    }
    return makeData(type, { ...sharedParts(data), ...this.#ownParts(data, type) });
  }

  #ownParts(data: ForeignData, type: DataType): Partial<DataParts> {
    switch (storageOf(type)) {
      case "null":
        return { nullCount: data.length };
      case "bits":
      case "fixed":
        return { values: viewAs(data.values ?? nothing, valuesArray(type)) };
      case "bytes":
        return isView(data) ? plainViews(data) : bytesParts(data);
      case "list":
        return this.#listParts(data, itemType(type));
      case "dictionary":
        return {
          values: viewAs(data.values ?? nothing, valuesArray(type)),
          dictionary: this.#dictionary(data.dictionary, itemType(type)),
        };
      default: {
        const fields = childFields(type);
        return {
          children: fields.map((field, at) => this.accept(data.children[at] as ForeignData, field.type)),
        };
      }
    }
  }

  #listParts(data: ForeignData, items: DataType): Partial<DataParts> {
    const { offsets, start, end } = plainOffsets(data);
    const child = this.accept(data.children[0] as ForeignData, items);
    return { offsets, children: [start === 0 ? child : child.slice(start, end - start)] };
  }

  #dictionary(vector: ForeignVector | undefined, type: DataType): Vector {
    if (vector === undefined || vector.data.length === 0) return new Vector([concatData(type, [])]);
    let accepted = this.#dictionaries.get(vector);
    if (accepted === undefined) {
      accepted = new Vector(vector.data.map((chunk) => this.#chunk(chunk, type)));
      this.#dictionaries.set(vector, accepted);
    }
    return accepted;
  }

  #chunk(data: ForeignData, type: DataType): Data {
    let accepted = this.#chunks.get(data);
    if (accepted === undefined) {
      accepted = this.accept(data, type);
      this.#chunks.set(data, accepted);
    }
    return accepted;
  }
}

function isView({ type: { typeId } }: ForeignData): boolean {
  return typeId === laterTypes.utf8View || typeId === laterTypes.binaryView;
}

function sharedParts({ length, offset, nullBitmap }: ForeignData): DataParts {
  const validity = nullBitmap?.length ? (viewAs(nullBitmap, Uint8Array) as Uint8Array) : undefined;
  return { length, offset, validity };
}

function bytesParts(data: ForeignData): Partial<DataParts> {
  const { offsets, start, end } = plainOffsets(data);
  const bytes = viewAs(data.values ?? nothing, Uint8Array);
  return { offsets, values: start === 0 ? bytes : bytes.subarray(start, end) };
}
