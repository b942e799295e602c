export default { batchSize: 4 };
