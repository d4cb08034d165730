import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { settle } from "../support/until.ts";
import { evalcube, exampleCalls, PROJECT, temporaryFolder } from "./command.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a database is closed to other processes while it is open, whatever is collected, and free at once when closed", async () => {
  const path = join(folder, "qa.duckdb");
  const list = () => evalcube(["evaluations", "--db", path, "--project", PROJECT], folder);
  const first = await openEngine({ path });
  await first.ingestCalls(exampleCalls());
  await first.close();
  const engine = await openEngine({ path });
  await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["good"], include_summary: true });
  for (let i = 0; i < 5; i++) {
    collect();
    await settle();
  }
  const refused = await list();
  expect(refused).toMatchObject({ status: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /qa\.duckdb is in use by another process \(\d+\)\. Stop it; where it is evalcube serve or view, ask it over HTTP\.\n$/,
  );
  await engine.close();
  expect(await list()).toMatchObject({ status: 0, stderr: "" });
});
