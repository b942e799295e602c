import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VirtualEnvironment } from "../../support/virtual-environment.ts";

const environment = new VirtualEnvironment("object-stores", join(import.meta.dirname, "requirements.txt"));

/** The parts of a server, each of which listens for requests and for calls of the others. */
const parts = ["master", "volume", "filer", "s3"];

/** Ends the server and removes its files once the pipe to this process is closed: also when this process is killed. */
const keeper = `"$0" "$@" & server=$!
read _
kill -9 $server
wait $server
rm -rf "$FOLDER"
for port in $PORTS; do rm -f /tmp/seaweedfs-*-$port.sock; done`;

/** Bucket of all tables of the tests. */
const bucket = "tables";

/** A SeaweedFS server on this machine, with one bucket, that ends with this process. */
export class SeaweedFs {
  static readonly accessKey = "an-access-key";
  static readonly secretKey = "a-secret-that-nobody-may-see";
  /** The port of its S3 service. */
  readonly port: number;
  readonly #keeper: ChildProcess;

  private constructor(port: number, process: ChildProcess) {
    this.port = port;
    this.#keeper = process;
  }

  /** Starts a server and waits until it stores files. */
  static async start(): Promise<SeaweedFs> {
    environment.ensure();
    const folder = mkdtempSync(join(tmpdir(), "lance-loader-seaweedfs-"));
    const credentials = [{ accessKey: SeaweedFs.accessKey, secretKey: SeaweedFs.secretKey }];
    const identities = [{ name: "tests", credentials, actions: ["Admin", "Read", "List", "Write"] }];
    writeFileSync(join(folder, "s3.json"), JSON.stringify({ identities }));
    const ports = await freePorts(2 * parts.length);
    const listening = parts.flatMap((part, index) => [
      `-${part}.port=${ports[2 * index]}`,
      `-${part}.port.grpc=${ports[2 * index + 1]}`,
    ]);
    const [, , , , filer = 0, , s3 = 0] = ports;
    const child = spawn(
      "sh",
      ["-c", keeper, environment.program("weed"), ...settings(folder), ...listening],
      {
        env: { ...process.env, FOLDER: folder, PORTS: ports.join(" ") },
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    const log = join(folder, "log.txt");
    child.stderr.pipe(createWriteStream(log));
    child.stdout.resume();
    const server = new SeaweedFs(s3, child);
    try {
      // A folder of the filer is a bucket; that it takes a file tells that all parts have found each other.
      await untilOk(`http://127.0.0.1:${filer}/buckets/${bucket}/ready`, "PUT");
      await untilOk(`http://127.0.0.1:${s3}/healthz`, "GET");
      return server;
    } catch (cause) {
      const text = readFileSync(log, "utf8").slice(-2000);
      await server.stop();
      throw new Error(`SeaweedFS did not start: ${text}`, { cause });
    }
  }

  /** Ends the server; nothing of it is left. */
  async stop(): Promise<void> {
    this.#keeper.stdin?.end();
    if (this.#keeper.exitCode === null) await once(this.#keeper, "exit");
  }
}

/** The place of a database in the bucket. */
export function databaseUri(name: string): string {
  return `s3://${bucket}/${name}`;
}

/** The options with which the store at `port` is read. */
export function storageOptions(port: number): Record<string, string> {
  return {
    aws_access_key_id: SeaweedFs.accessKey,
    aws_secret_access_key: SeaweedFs.secretKey,
    aws_region: "us-east-1",
    aws_endpoint: `http://127.0.0.1:${port}`,
    allow_http: "true",
  };
}

/** The same options as variables of the environment. */
export function environmentOf(options: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(options).map(([name, value]) => {
    const variable = name.toUpperCase();
    return [variable.startsWith("AWS_") ? variable : `AWS_${variable}`, value];
  });
  return Object.fromEntries(entries);
}

function settings(folder: string): string[] {
  return [
    "server",
    `-dir=${folder}`,
    "-ip=127.0.0.1",
    "-ip.bind=127.0.0.1",
    "-master.telemetry=false",
    "-master.electionTimeout=1s",
    "-master.volumeSizeLimitMB=64",
    "-volume.max=16",
    "-filer",
    "-s3",
    `-s3.config=${join(folder, "s3.json")}`,
    "-s3.port.iceberg=0",
    "-s3.port.lance=0",
    "-s3.iam=false",
  ];
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/** Asks until the answer is good, for a minute at most. */
async function untilOk(url: string, method: string): Promise<void> {
  let last: unknown;
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      const { ok, status } = await fetch(url, { method, ...(method === "PUT" && { body: "ready" }) });
      if (ok) return;
      last = status;
    } catch (error) {
      last = error;
    }
    await sleep(200);
  }
  throw new Error(`${url} never answered well`, { cause: last });
}
