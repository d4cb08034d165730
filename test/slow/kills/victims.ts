import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generateKey } from "../../../src/http/keys/key-ring.ts";
import { ndjson } from "../../support/records.ts";
import { USER } from "../disk/apply.ts";
import { recordsOf } from "../disk/operations.ts";
import { sendOperation } from "../disk/service-writer.ts";
import { createPace, startCommand, type Ended } from "./killed-command.ts";
import type { Victim } from "./lineages.ts";

/** A command that was not killed must have ended well. */
function checkEnd({ status, stderr }: Ended): void {
  if (status !== null && status !== 0) throw new Error(`the command ended with ${status}: ${stderr}`);
}

/** `evalcube ingest` of several files; it acknowledges each with a line. */
export function ingestVictim(): Victim {
  const pace = createPace(600);
  return {
    weights: { evaluation: 3, update: 4, late: 3, rows: 2 },
    each: 6,
    run: async ({ program, database, scratch }, operations, random) => {
      const files = operations.map((operation, i) => {
        const file = path.join(scratch, `source-${i}.ndjson`);
        writeFileSync(file, ndjson(recordsOf(operation)));
        return file;
      });
      const began = performance.now();
      const running = startCommand(program, ["ingest", "--db", database, ...files]);
      const kill = async () => {
        // Half of the kills may come at any moment, half soon after a file was stored.
        if (random() < 0.5)
          await running.said(new RegExp(`(\\{.*\\n){${1 + Math.floor(random() * files.length)}}`));
        else await sleep(pace.moment(random));
        // A random moment is what is tested.
        await sleep(random() * 15);
        running.child.kill("SIGKILL");
      };
      const [end] = await Promise.all([running.ended, kill()]);
      checkEnd(end);
      if (!end.killed) pace.took(performance.now() - began);
      return { killed: end.killed, acknowledged: end.stdout.split("\n").length - 1 };
    },
  };
}

/** `evalcube serve` that stores feedback and training records; some are killed while they stop. */
export function serveVictim(): Victim {
  const { key, entry } = generateKey(USER, ["acme/*"], new Date());
  return {
    weights: { feedback: 5, job: 3, model: 1 },
    each: 12,
    run: async ({ program, database, scratch }, operations, random) => {
      const keys = path.join(scratch, "keys.json");
      writeFileSync(keys, JSON.stringify({ version: 1, keys: [entry] }));
      const args = ["serve", "--port", "0", "--log-level", "error", "--db", database, "--keys", keys];
      const running = startCommand(program, args);
      if (random() < 0.1) void sleep(random() * 600).then(() => running.child.kill("SIGKILL"));
      const url = (await running.said(/listens on (\S+)\s/))?.[1];
      const wanted = 1 + Math.floor(random() * operations.length);
      let acknowledged = 0;
      const kill = async () => {
        if (random() < 0.2) running.child.kill("SIGTERM");
        // A random moment is what is tested.
        await sleep(random() * 15);
        running.child.kill("SIGKILL");
      };
      let killing: Promise<void> | null = null;
      for (const operation of url === undefined ? [] : operations) {
        if (acknowledged + 1 === wanted) killing = kill();
        // A request that the kill breaks off is not acknowledged.
        if (
          !(await sendOperation(url ?? "", key, operation).then(
            () => true,
            () => false,
          ))
        )
          break;
        acknowledged++;
      }
      await killing;
      running.child.kill("SIGKILL");
      const end = await running.ended;
      checkEnd(end);
      return { killed: end.killed, acknowledged };
    },
  };
}
