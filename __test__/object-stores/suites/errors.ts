import { once } from "node:events";
import { createServer } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type ErrorCode,
  permutationBuilder,
  StreamingDataset,
  type TableLocation,
} from "../../../src/index.ts";
import { failure } from "../../support/errors.ts";
import { textOf } from "../support/error-text.ts";
import { SeaweedFs } from "../support/seaweedfs.ts";
import type { TestStore } from "../support/store.ts";

/** Few tries, so that what fails for good fails soon. */
const quick = { client_max_retries: "0", lance_aimd_max_retries: "1" };

/** What is wrong with a place or its credentials is said by the call that meets it, and no secret is. */
export function describeErrors(store: TestStore): void {
  describe("opening a table in an object store", () => {
    beforeAll(() => store.writeIds("errors", 20));

    test.each<[string, ErrorCode, string, (store: TestStore) => TableLocation]>([
      [
        "whose bucket is missing",
        "TABLE_NOT_FOUND",
        "no-such-bucket",
        (store) => elsewhere(store, "s3://no-such-bucket/db/errors.lance"),
      ],
      ["that is missing", "TABLE_NOT_FOUND", "nothing.lance", (store) => store.table("nothing", quick)],
      [
        "with a wrong secret",
        "READ_FAILED",
        "SignatureDoesNotMatch",
        (store) => store.table("errors", { ...quick, aws_secret_access_key: "another-secret" }),
      ],
      [
        "with an unknown key",
        "READ_FAILED",
        "InvalidAccessKeyId",
        (store) => store.table("errors", { ...quick, aws_access_key_id: "another-key" }),
      ],
      [
        "by plain HTTP where that is not allowed",
        "READ_FAILED",
        "errors.lance",
        (store) => store.table("errors", { ...quick, allow_http: "false" }),
      ],
      [
        "under a scheme that nobody knows",
        "UNSUPPORTED_SOURCE",
        "s4://",
        (store) => elsewhere(store, "s4://tables/db/errors.lance"),
      ],
    ])("%s fails with %s", async (_, code, part, place) => {
      const table = place(store);
      const error = await failure(() => StreamingDataset.open(table), code, part);
      const built = await failure(() => permutationBuilder(table).execute(), code, part);
      for (const text of [textOf(error), textOf(built)]) {
        expect(text).not.toContain(SeaweedFs.secretKey);
        expect(text).not.toContain("another-secret");
      }
    });

    test("where nobody listens fails", async () => {
      const closed = createServer().listen(0, "127.0.0.1");
      await once(closed, "listening");
      const address = closed.address();
      const port = typeof address === "object" ? address?.port : undefined;
      await once(closed.close(), "close");
      const table = store.table("errors", { ...quick, aws_endpoint: `http://127.0.0.1:${port}` });
      await failure(() => StreamingDataset.open(table), "READ_FAILED", "errors.lance");
    });

    test("with the right options succeeds", async () => {
      await using dataset = await StreamingDataset.open(store.table("errors", quick));
      expect(dataset.numSamples).toBe(20);
    });
  });
}

function elsewhere({ options }: TestStore, uri: string): TableLocation {
  return { uri, storageOptions: { ...options, ...quick } };
}
