import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createKey } from "../../src/http/keys/keys-file.ts";
import { busyMachine, describeMachine } from "../report/machine.ts";
import { median } from "../run/measures.ts";
import { startServer, type ServerProcess } from "../service/processes.ts";
import { formatResults } from "../service/results.ts";

/** A Python that has the package `weave`. */
const PYTHON = process.env["WEAVE_PYTHON"] ?? "python3";
const PROGRAM = fileURLToPath(new URL("evaluate.py", import.meta.url));
const ROWS = 200;
const TRIALS = 3;
const ROUNDS = 4;
const MOST = 1.2;

const run = promisify(execFile);

/** How many seconds the evaluation of a program took until everything was sent. */
async function secondsAgainst({ url }: ServerProcess, key: string, round: number): Promise<number> {
  const project = `acme/round-${round}`;
  const addresses = { WF_TRACE_SERVER_URL: url, WANDB_BASE_URL: url, WANDB_API_KEY: key };
  const settings = {
    ROWS: String(ROWS),
    TRIALS: String(TRIALS),
    WEAVE_PROJECT: project,
    WANDB_DIR: tmpdir(),
    WEAVE_USE_SERVER_CACHE: "false",
  };
  const { stdout, stderr } = await run(PYTHON, [PROGRAM], {
    env: { ...process.env, ...addresses, ...settings },
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = /^SECONDS (\S+)$/m.exec(stdout)?.[1];
  if (seconds === undefined || /error sending|giving up/i.test(stderr)) throw new Error(stderr.slice(-2000));
  return Number(seconds);
}

const busy = busyMachine();
const folder = await mkdtemp(join(tmpdir(), "evalcube-bench-sdk-"));
const keys = join(folder, "keys.json");
const { key } = await createKey(keys, { user: "ann", projects: ["acme/*"] });
const args = ["serve", "--db", join(folder, "b.duckdb"), "--keys", keys, "--port", "0"];
const service = await startServer("src/cli/main.ts", [...args, "--log-level", "warn"]);
const instant = await startServer("bench/weave/instant-server.ts");
const times = { service: new Array<number>(), instant: new Array<number>() };
try {
  // In turns, so that both meet the same machine; the first round is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    const [atInstant, atService] = [
      await secondsAgainst(instant, key, round),
      await secondsAgainst(service, key, round),
    ];
    if (round === 0) continue;
    times.instant.push(atInstant);
    times.service.push(atService);
  }
} finally {
  await service.stop();
  await instant.stop();
  await rm(folder, { recursive: true });
}
const [with_, without] = [median(times.service), median(times.instant)];
const ratio = with_ / without;
console.log((await describeMachine()).join("\n"));
if (busy !== null) console.log(busy);
console.log(
  formatResults([
    {
      measure: `evaluation of ${ROWS} rows x ${TRIALS} trials x 4 scorers, Python SDK, median of ${ROUNDS}`,
      value: `${with_.toFixed(2)} s, ${without.toFixed(2)} s against a server that answers at once: ${ratio.toFixed(2)} x`,
      bar: `≤ ${MOST} x`,
      met: ratio <= MOST,
    },
  ]),
);
