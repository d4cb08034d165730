import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { generateKey } from "../../../src/http/keys/key-ring.ts";
import { startServed, type Served } from "../../cli/served.ts";
import { PROJECT } from "../../support/records.ts";

/** `evalcube serve` at one address, which is killed and started anew. */
export interface TeamService {
  readonly url: string;
  /** Keys of two people, who store, and of a job, which may do all. */
  readonly keys: { readonly ann: string; readonly ben: string; readonly job: string };
  /** Kills it and starts it again after so many seconds. */
  readonly fall: (seconds: number) => Promise<void>;
  /** Ends it; resolves to its exit status. */
  readonly stop: () => Promise<number | null>;
}

export async function startTeamService(folder: string, database: string): Promise<TeamService> {
  const made = {
    ann: generateKey("ann", [PROJECT], new Date(), "write"),
    ben: generateKey("ben", [PROJECT], new Date(), "write"),
    job: generateKey("nightly", ["*"], new Date(), "admin"),
  };
  const keysFile = path.join(folder, "keys.json");
  writeFileSync(
    keysFile,
    JSON.stringify({ version: 1, keys: [made.ann.entry, made.ben.entry, made.job.entry] }),
  );
  const port = await freePort();
  const begin = () => startServed(["--port", String(port), "--db", database, "--keys", keysFile], folder);
  let served: Served = await begin();
  return {
    url: served.url,
    keys: { ann: made.ann.key, ben: made.ben.key, job: made.job.key },
    fall: async (seconds) => {
      served.child.kill("SIGKILL");
      await served.end;
      await pause(seconds * 1000);
      served = await begin();
    },
    stop: async () => {
      served.child.kill("SIGTERM");
      return (await served.end).status;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
