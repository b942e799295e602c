/** The most splits, ranks and workers: enough for any cluster, and small enough that lists of them fit everywhere. */
export const maxSplits = 2 ** 24;
