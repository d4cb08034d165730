import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { startServer, type ServerProcess } from "../service/processes.ts";

const COMPARED = 2;

/** A service in a process of its own, and a way to it. */
export interface Client {
  readonly server: ServerProcess;
  readonly pool: Pool;
  /** The ids of the first two evaluations of a project. */
  readonly evaluations: (project: string) => Promise<string[]>;
  /** Posts a JSON text; rejects where the answer is not 200. */
  readonly post: (path: string, body: string) => Promise<string>;
}

/** Over a new database, unless one is given. */
export async function withService<T>(measure: (client: Client) => Promise<T>, database?: string): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "evalcube-bench-weave-"));
  const keys = join(folder, "keys.json");
  const { key } = await createKey(keys, { user: "ann", projects: ["*"] });
  const args = ["serve", "--db", database ?? join(folder, "b.duckdb"), "--keys", keys, "--port", "0"];
  const server = await startServer("src/cli/main.ts", [...args, "--log-level", "warn"]);
  const pool = new Pool(new URL(server.url).origin, { connections: 16 });
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/json" };
  try {
    return await measure({
      server,
      pool,
      evaluations: async (project) => {
        const path = `/v2/${project}/evaluations`;
        const { body } = await pool.request({ method: "GET", path, headers: { authorization } });
        const { evaluations } = (await body.json()) as { evaluations: { id: string }[] };
        return evaluations.map(({ id }) => id).slice(0, COMPARED);
      },
      post: async (path, body) => {
        const { statusCode, body: answer } = await pool.request({ method: "POST", path, headers, body });
        const text = await answer.text();
        if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
        return text;
      },
    });
  } finally {
    await pool.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
