import { addScaled, Dense } from "./dense.ts";

const pixels = 28 * 28;
const units = 96;
const digits = 10;
const innerSize = Dense.size(pixels, units);
const size = innerSize + Dense.size(units, digits);

/**
 * A network of two layers that tells digits apart: pixels, rectified units, the softmax of ten outputs. It is trained by
 * stochastic gradient descent on the cross-entropy.
 */
export class Classifier {
  /** All weights, in one array: saving and loading them is a copy. */
  readonly weights = startingWeights();
  readonly #gradients = new Float32Array(size);
  readonly #inner = this.#layer(pixels, units, 0);
  readonly #outer = this.#layer(units, digits, innerSize);
  readonly #pixels = new Float32Array(pixels);
  readonly #units = new Float32Array(units);
  readonly #unitErrors = new Float32Array(units);
  readonly #digits = new Float32Array(digits);

  /**
   * One step of training.
   *
   * @param images - The pixels of a batch, row after row, 784 bytes each.
   * @param labels - The digit of each row.
   * @param rate - The learning rate.
   * @returns The mean loss of the batch, before the step.
   */
  train(images: Uint8Array, labels: Int32Array, rate: number): number {
    this.#gradients.fill(0);
    let loss = 0;
    labels.forEach((label, row) => {
      this.#forward(images, row);
      loss -= Math.log(Math.max(this.#digits[label] ?? 0, 1e-9));
      this.#backward(label);
    });
    addScaled(this.weights, 0, -rate / labels.length, this.#gradients, 0, size);
    return loss / labels.length;
  }

  /** How many rows of a batch are recognised. */
  countCorrect(images: Uint8Array, labels: Int32Array): number {
    return labels.filter((label, row) => {
      this.#forward(images, row);
      return this.#digits.indexOf(Math.max(...this.#digits)) === label;
    }).length;
  }

  /** Leaves the probability of every digit in `#digits`. */
  #forward(images: Uint8Array, row: number): void {
    images.subarray(row * pixels, (row + 1) * pixels).forEach((pixel, i) => {
      this.#pixels[i] = pixel / 255;
    });
    this.#inner.forward(this.#pixels, this.#units);
    this.#units.forEach((unit, i) => {
      this.#units[i] = Math.max(unit, 0);
    });
    this.#outer.forward(this.#units, this.#digits);
    softmax(this.#digits);
  }

  #backward(label: number): void {
    this.#digits[label] = (this.#digits[label] ?? 0) - 1;
    this.#outer.backward(this.#units, this.#digits, this.#unitErrors);
    this.#inner.backward(this.#pixels, this.#unitErrors);
  }

  #layer(inputs: number, outputs: number, start: number): Dense {
    const end = start + Dense.size(inputs, outputs);
    return new Dense(
      inputs,
      outputs,
      this.weights.subarray(start, end),
      this.#gradients.subarray(start, end),
    );
  }
}

/** Small weights, the same ones every time. */
function startingWeights(): Float32Array {
  let state = 1;
  return new Float32Array(size).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 31 - 1) * 0.08;
  });
}

function softmax(values: Float32Array): void {
  const largest = Math.max(...values);
  values.forEach((value, i) => {
    values[i] = Math.exp(value - largest);
  });
  const total = values.reduce((sum, value) => sum + value, 0);
  values.forEach((value, i) => {
    values[i] = value / total;
  });
}
