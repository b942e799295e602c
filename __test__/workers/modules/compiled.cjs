// As a compiler leaves `export default`.
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = (/** @type {import('../../../src/index.ts').Batch} */ batch) =>
  Array.from(batch.column("id"), Number);
