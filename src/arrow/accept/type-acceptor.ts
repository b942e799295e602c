import {
  Binary,
  Bool,
  type DataType,
  Date_,
  Decimal,
  Dictionary,
  Duration,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float,
  Int,
  Interval,
  List,
  Map_,
  Null,
  Struct,
  Time,
  Timestamp,
  Type,
  Utf8,
} from "apache-arrow";
import { LanceLoaderError } from "../../errors.ts";
import type { ForeignField, ForeignType } from "./foreign.ts";

/** The ids, fixed by the Arrow format, of types that the lowest supported apache-arrow has no class for. */
export const laterTypes = { largeList: 21, binaryView: 23, utf8View: 24 } as const;

type Make = (type: ForeignType, child: (at: number) => Field) => DataType;

const makers = new Map<number, Make>([
  [Type.Null, () => new Null()],
  [Type.Int, (type) => new Int(type.isSigned as true, type.bitWidth as 32)],
  [Type.Float, (type) => new Float(type.precision as number)],
  [Type.Binary, () => new Binary()],
  [Type.LargeBinary, () => new Binary()],
  [laterTypes.binaryView, () => new Binary()],
  [Type.Utf8, () => new Utf8()],
  [Type.LargeUtf8, () => new Utf8()],
  [laterTypes.utf8View, () => new Utf8()],
  [Type.Bool, () => new Bool()],
  [Type.Decimal, (type) => new Decimal(type.scale as number, type.precision as number, type.bitWidth)],
  [Type.Date, (type) => new Date_(type.unit as number)],
  [Type.Time, (type) => new Time(type.unit as number, type.bitWidth as 32)],
  [Type.Timestamp, (type) => new Timestamp(type.unit as number, type.timezone)],
  [Type.Interval, (type) => new Interval(type.unit as number)],
  [Type.Duration, (type) => new Duration(type.unit as number)],
  [Type.FixedSizeBinary, (type) => new FixedSizeBinary(type.byteWidth as number)],
  [Type.List, (_, child) => new List(child(0))],
  [laterTypes.largeList, (_, child) => new List(child(0))],
  [Type.FixedSizeList, (type, child) => new FixedSizeList(type.listSize as number, child(0))],
  [Type.Struct, (type, child) => new Struct((type.children ?? []).map((_, at) => child(at)))],
  [Type.Map, (type, child) => new Map_(child(0), type.keysSorted)],
]);

/**
 * Makes the types of another apache-arrow's schema anew with the classes of our own copy. Large and view types become their
 * plain twins.
 *
 * One type object of theirs becomes one of ours, since apache-arrow tells shared dictionaries by the identity of their types.
 */
export class TypeAcceptor {
  readonly #accepted = new Map<ForeignType, DataType>();

  /**
   * Our own type for theirs.
   *
   * @param name - the field that has it, for the message.
   * @throws {@link LanceLoaderError} `UNSUPPORTED_TYPE` for a type that no batch holds.
   */
  accept(type: ForeignType, name: string): DataType {
    let accepted = this.#accepted.get(type);
    if (accepted === undefined) {
      accepted = this.#make(type, name);
      this.#accepted.set(type, accepted);
    }
    return accepted;
  }

  /** The field with our own type, its metadata kept. */
  field({ name, type, nullable, metadata }: ForeignField): Field {
    return new Field(name, this.accept(type, name), nullable, new Map(metadata));
  }

  #make(type: ForeignType, name: string): DataType {
    const { dictionary, indices } = type;
    if (dictionary !== undefined && indices !== undefined) {
      const keys = this.accept(indices, name) as Dictionary["indices"];
      return new Dictionary(this.accept(dictionary, name), keys, type.id, type.isOrdered);
    }
    const make = makers.get(type.typeId);
    if (make !== undefined) return make(type, (at) => this.field(type.children?.[at] as ForeignField));
    throw new LanceLoaderError(
      "UNSUPPORTED_TYPE",
      `The column ${JSON.stringify(name)} has the Arrow type ${type}, which a batch cannot hold: leave it out, or cast it to another type.`,
    );
  }
}
