import onnxProto, { type onnx } from "onnx-proto";

const { AttributeProto, ModelProto, TensorProto } = onnxProto.onnx;
const { FLOAT, INT64, UINT8 } = TensorProto.DataType;
const { INT } = AttributeProto.AttributeType;

/**
 * An ONNX model that tells for each image which of several mean images is the nearest, as the bytes of its file.
 *
 * The nearest mean m of an image x is the one with the largest 2·x·m − m·m: a matrix product and a bias.
 *
 * @param means - the mean images, row after row.
 * @param pixels - the pixels of an image.
 */
export function nearestMeanModel(means: Float32Array, pixels: number): Uint8Array {
  const classes = means.length / pixels;
  const weights = Float32Array.from(
    means,
    (_, at) => 2 * (means[(at % classes) * pixels + Math.floor(at / classes)] ?? 0),
  );
  const bias = Float32Array.from({ length: classes }, (_, digit) =>
    means.subarray(digit * pixels, (digit + 1) * pixels).reduce((sum, value) => sum - value * value, 0),
  );
  const model = {
    irVersion: 8,
    producerName: "lance-loader example",
    opsetImport: [{ domain: "", version: 15 }],
    graph: {
      name: "nearest mean",
      input: [valueInfo("image", UINT8, ["rows", pixels])],
      output: [valueInfo("digit", INT64, ["rows"])],
      initializer: [tensorOf("weights", weights, [pixels, classes]), tensorOf("bias", bias, [classes])],
      node: [
        node("Cast", ["image"], "float", [{ name: "to", type: INT, i: FLOAT }]),
        node("MatMul", ["float", "weights"], "product"),
        node("Add", ["product", "bias"], "scores"),
        node("ArgMax", ["scores"], "digit", [
          { name: "axis", type: INT, i: 1 },
          { name: "keepdims", type: INT, i: 0 },
        ]),
      ],
    },
  };
  return ModelProto.encode(ModelProto.fromObject(model)).finish();
}

function node(opType: string, input: string[], output: string, attribute: onnx.IAttributeProto[] = []) {
  return { opType, input, output: [output], attribute };
}

/** What goes in or comes out: a type and its sizes, of which a name is any number. */
function valueInfo(name: string, elemType: number, sizes: readonly (number | string)[]) {
  const dim = sizes.map((size) => (typeof size === "string" ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

function tensorOf(name: string, data: Float32Array, dims: number[]) {
  return {
    name,
    dataType: FLOAT,
    dims,
    rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  };
}
