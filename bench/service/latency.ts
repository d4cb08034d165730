import { Pool } from "undici";
import { median } from "../run/measures.ts";

/** Where a completion is asked for. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

const ROUNDS = 40;
const REQUESTS = 50;

/** What the service adds to a direct call, in ms: medians of both, and their difference. */
export interface AddedLatency {
  readonly direct: number;
  readonly through: number;
  readonly added: number;
}

/** Alternates between the two, one request at a time, so that both meet the same machine. */
export async function addedLatency(direct: Target, through: Target, model: string): Promise<AddedLatency> {
  const stream = model !== "whole";
  const body = JSON.stringify({ model, stream, messages: [{ role: "user", content: "hello" }] });
  const askers = [askerFor(direct, body), askerFor(through, body)] as const;
  const times: [number[], number[]] = [[], []];
  for (let round = -5; round < ROUNDS; round++) {
    for (const at of [0, 1] as const) {
      for (let request = 0; request < REQUESTS; request++) {
        const ms = await askers[at].ask();
        if (round >= 0) times[at].push(ms);
      }
    }
  }
  for (const { close } of askers) await close();
  const [a, b] = [median(times[0]), median(times[1])];
  return { direct: a, through: b, added: b - a };
}

interface Asker {
  /** Time to the first byte of the body. */
  readonly ask: () => Promise<number>;
  readonly close: () => Promise<void>;
}

function askerFor({ url, key }: Target, body: string): Asker {
  const pool = new Pool(new URL(url).origin, { connections: 1 });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    async ask() {
      const start = performance.now();
      let first = 0;
      const path = "/v1/chat/completions";
      const response = await pool.request({ path, method: "POST", headers, body });
      for await (const _ of response.body) first ||= performance.now() - start;
      if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
      return first;
    },
    close: () => pool.close(),
  };
}
