/**
 * A dense layer over Float32Arrays: `outputs = bias + inputs · weights`.
 *
 * Inputs that are zero are skipped, in both directions. That is exact for pixels, whose gradient nobody needs, and for rectified
 * units, whose gradient is zero where they are.
 */
export class Dense {
  readonly #inputs: number;
  readonly #outputs: number;
  /** One row of `outputs` weights for every input, then the bias. */
  readonly #weights: Float32Array;
  readonly #gradients: Float32Array;

  /** A layer over its part of the network's weights and gradients, {@link Dense.size} numbers each. */
  constructor(inputs: number, outputs: number, weights: Float32Array, gradients: Float32Array) {
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#weights = weights;
    this.#gradients = gradients;
  }

  /** How many weights a layer has. */
  static size(inputs: number, outputs: number): number {
    return (inputs + 1) * outputs;
  }

  /** Computes `outputs` from `inputs`. */
  forward(inputs: Float32Array, outputs: Float32Array): void {
    outputs.fill(0);
    addScaled(outputs, 0, 1, this.#weights, this.#inputs * this.#outputs, this.#outputs);
    inputs.forEach((input, i) => {
      if (input !== 0) addScaled(outputs, 0, input, this.#weights, i * this.#outputs, this.#outputs);
    });
  }

  /** Adds to the gradients what `errors`, the loss's gradient by the outputs, say; and tells the one by the inputs, if asked. */
  backward(inputs: Float32Array, errors: Float32Array, inputErrors?: Float32Array): void {
    const width = this.#outputs;
    addScaled(this.#gradients, this.#inputs * width, 1, errors, 0, width);
    inputs.forEach((input, i) => {
      if (input !== 0) addScaled(this.#gradients, i * width, input, errors, 0, width);
      if (inputErrors) inputErrors[i] = input === 0 ? 0 : dot(this.#weights, i * width, errors);
    });
  }
}

/** `to[toStart + i] += scale * from[fromStart + i]`, for `count` numbers. */
export function addScaled(
  to: Float32Array,
  toStart: number,
  scale: number,
  from: Float32Array,
  fromStart: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    to[toStart + i] = (to[toStart + i] ?? 0) + scale * (from[fromStart + i] ?? 0);
  }
}

function dot(left: Float32Array, start: number, right: Float32Array): number {
  return right.reduce((sum, value, i) => sum + value * (left[start + i] ?? 0), 0);
}
