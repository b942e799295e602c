import { type ClientConfig, connect, type Table as LanceTable } from "@lancedb/lancedb";
import { key, type StubServer } from "./stub-server.ts";

/** The client's own retries, without waits. */
const retryConfig = { retries: 3, backoffFactor: 0, backoffJitter: 0 };

/** The table of a stub, opened by the real client. */
export async function openRemote(
  stub: StubServer,
  name: string,
  config: ClientConfig = {},
  apiKey = key,
): Promise<LanceTable> {
  const clientConfig = { retryConfig, ...config };
  const database = await connect("db://shop", { apiKey, hostOverride: stub.url, clientConfig });
  return await database.openTable(name);
}
