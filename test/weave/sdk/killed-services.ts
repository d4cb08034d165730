import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { generateKey } from "../../../src/http/keys/key-ring.ts";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { basic } from "../../http/running-service.ts";
import { builtProgram } from "../../support/built-program.ts";
import { sendOnce, sendTraffic } from "./sender.ts";
import { storedThings, wantedThings } from "./stored-things.ts";
import { evaluationTraffic, type Sent, type Traffic } from "./traffic.ts";

const { key, entry } = generateKey("ann", ["acme/*"], new Date());
const authorization = basic(key);
const KEYS = JSON.stringify({ version: 1, keys: [entry] });
/** How many programs send at the same time, at most. */
const AT_ONCE = 3;
/** A kill comes at most so long after the programs have begun to send. */
const LIFE_MS = 300;

/** A service in a process of its own. */
async function startChild(database: string) {
  const child = spawn(process.execPath, [builtProgram("children/weave-service"), database, KEYS], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const url of createInterface(child.stdout)) {
    const to = { url: () => url, authorization };
    return {
      to,
      stored: (programs: readonly Traffic[]) =>
        storedThings((path, body) => sendOnce({ path, body }, to), programs),
      kill: async () => {
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
  }
  throw new Error("the service did not start");
}

/** What answered requests lack, and what of unanswered ones is there in part. */
function faultsIn(stored: ReadonlySet<string>, answered: ReadonlySet<Sent>, all: readonly Sent[]): string[] {
  return all.flatMap((sent) => {
    // An end is seen only once the start is there, which may be in another request.
    const seen = sent.stores.filter(
      (name) => !name.startsWith("end ") || stored.has(`start ${name.slice(4)}`),
    );
    const missing = seen.filter((name) => !stored.has(name));
    if (answered.has(sent)) return missing.map((name) => `${name} was answered and is missing`);
    const isHalf = missing.length > 0 && missing.length < seen.length;
    return isHalf ? [`of ${sent.path}, not answered, ${missing.length} of ${seen.length} are missing`] : [];
  });
}

const requestsOf = (programs: readonly Traffic[]) => programs.flatMap(({ steps }) => steps.flat());

/**
 * Kills a service so often at random moments while programs send, and opens its database again each time. Expects that what
 * was answered is there, that nothing is there in part, and that the programs then end and have stored each thing once.
 * Returns how many requests were under way when the service was killed.
 */
export async function killServices(database: string, kills: number, rows: number, random: Random) {
  const programs: Traffic[] = [];
  const answered = new Set<Sent>();
  let cut = 0;
  const unanswered = (program: Traffic): Traffic => {
    return { ...program, steps: program.steps.map((step) => step.filter((sent) => !answered.has(sent))) };
  };
  const isUnfinished = (program: Traffic) => requestsOf([unanswered(program)]).length > 0;
  for (let life = 0; ; life++) {
    const { to, stored, kill } = await startChild(database);
    expect(faultsIn(new Set(await stored(programs)), answered, requestsOf(programs))).toEqual([]);
    if (life < kills && programs.filter(isUnfinished).length < AT_ONCE)
      programs.push(evaluationTraffic(`life${life}`, rows));
    const ending = new AbortController();
    const options = { ...to, signal: ending.signal, answered: (sent: Sent) => void answered.add(sent) };
    const sending = Promise.allSettled(programs.map((one) => sendTraffic(unanswered(one), options)));
    if (life === kills) {
      await sending;
      expect((await stored(programs)).toSorted()).toEqual(wantedThings(programs));
      await kill();
      return cut;
    }
    // A random moment is what is tested.
    await sleep(random() * LIFE_MS);
    await kill();
    ending.abort(new Error("the service was killed"));
    const outcomes = await sending;
    cut += outcomes.filter(({ status }) => status === "rejected").length;
  }
}
