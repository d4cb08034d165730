import type { Json } from "../../src/model/json.ts";
import type { TreeCall } from "./oracle.ts";

/** Numbers from 0 to 1, the same for a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PROJECT = "own/steps";
const START = Date.parse("2026-03-01T00:00:00Z");

function time(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** Trees of calls below so many trials of one evaluation: every convention, wrappers, judges, circles and lost calls. */
export function randomTrees(seed: number, trials: number): TreeCall[] {
  const random = numbersFrom(seed);
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const maybe = (chance: number) => random() < chance;
  const calls: TreeCall[] = [];
  const evaluation = `e${seed}`;
  calls.push({ id: evaluation, project_id: PROJECT, op_name: "Evaluation.evaluate", started_at: time(0) });

  const usage = (): Record<string, Json> =>
    one<() => Record<string, Json>>([
      () => ({ prompt_tokens: whole(), completion_tokens: whole(), total_tokens: 1 }),
      () => ({ input_tokens: whole(), output_tokens: whole(), cache_read_input_tokens: 5 }),
      () => ({ inputTokens: whole(), outputTokens: whole(), cachedInputTokens: 3 }),
      () => ({ prompt_tokens: whole(), prompt_tokens_details: { cached_tokens: 4 }, cost: 0.25 }),
      () => ({ prompt_tokens: -1, completion_tokens: 1.5, total_tokens: 3 }),
      () => ({ completion_tokens: whole(), cache_creation_input_tokens: 2 }),
    ])();
  const whole = () => Math.floor(random() * 100);
  const named = (): Record<string, Json> =>
    one<() => Record<string, Json>>([
      () => ({
        "gen_ai.operation.name": one([
          "chat",
          "execute_tool",
          "invoke_agent",
          "embeddings",
          "text_completion",
        ]),
      }),
      () => ({
        gen_ai: { operation: { name: one(["chat", "execute_tool", "invoke_agent", "generate_content"]) } },
      }),
      () => ({ weave: { kind: one(["llm", "tool", "search", "agent", "scorer"]) } }),
      () => ({ svc: { kind: one(["llm", "tool", "agent"]) } }),
      () => ({ "openinference.span.kind": one(["LLM", "tool", "Retriever", "AGENT", "CHAIN"]) }),
      () => ({
        "ai.operationId": one([
          "ai.generateText.doGenerate",
          "ai.toolCall",
          "ai.generateText",
          "ai.x.doStream",
        ]),
      }),
      () => ({ "gen_ai.operation.name": "", "weave.kind": one(["llm", "tool"]) }),
      () => ({ "gen_ai.operation.name": 7, "ai.operationId": "ai.toolCall" }),
      () => ({}),
      () => ({}),
    ])();
  const more = (): Record<string, Json> => ({
    ...(maybe(0.2)
      ? {
          "gen_ai.usage.input_tokens": one<Json>([whole(), 0.5, "7"]),
          "gen_ai.usage.completion_tokens": whole(),
        }
      : {}),
    ...(maybe(0.1)
      ? { llm: { token_count: { prompt: whole(), prompt_details: { cache_read: 2 } }, model_name: "l-1" } }
      : {}),
    ...(maybe(0.2)
      ? { "gen_ai.tool.name": one(["search", "read", "x".repeat(205), "ö😀".repeat(101)]) }
      : {}),
    ...(maybe(0.1) ? { tool: { name: "nested" } } : {}),
    ...(maybe(0.2)
      ? { "gen_ai.tool.call.arguments": one<Json>(['{"b":1,"a":2}', { a: 2, b: 1 }, "plain", "[1", 5]) }
      : {}),
    ...(maybe(0.1) ? { "error.type": one<Json>(["Timeout", "", "é".repeat(300)]) } : {}),
    ...(maybe(0.1) ? { otel: { status_code: "ERROR" } } : {}),
    ...(maybe(0.1) ? { evalcube: { error_unknown: true } } : {}),
    ...(maybe(0.2) ? { "evalcube.step": one<Json>([whole(), -1, "2", 1.5]) } : {}),
    ...(maybe(0.1) ? { "evalcube.untimed": one<Json>([true, "start", "no"]) } : {}),
    ...(maybe(0.1) ? { "gen_ai.response.finish_reasons": one<Json>([["stop", "length"], "stop", []]) } : {}),
    ...(maybe(0.1) ? { "gen_ai.usage.cost": one<Json>([0.5, -1, "1"]) } : {}),
    ...(maybe(0.1) ? { "gen_ai.request.model": "r-1" } : {}),
  });

  for (let t = 0; t < trials; t++) {
    const trial = `${evaluation}-t${t}`;
    const begin = 1000 * t;
    const ids: string[] = [];
    const size = Math.floor(random() ** 2 * 24);
    const all: TreeCall[] = [];
    if (maybe(0.4)) {
      const id = `${trial}-p`;
      ids.push(id);
      all.push({
        id,
        project_id: PROJECT,
        op_name: "Agent.predict",
        started_at: time(begin),
        parent_id: trial,
        summary: { usage: { m: usage() } },
      });
    }
    for (let i = 0; i < size; i++) {
      const id = `${trial}-${i}`;
      const started = begin + Math.floor(random() * 12);
      const wild = maybe(0.03) ? one([id, `${trial}-${i + 1}`, "nowhere", ...ids.slice(0, 1)]) : null;
      const attributes: Record<string, Json> = { ...named(), ...more() };
      if (maybe(0.06)) attributes["weave"] = { score: true };
      all.push({
        id,
        project_id: PROJECT,
        op_name: one([
          "weave:///own/steps/op/search:abc",
          "execute_tool read",
          "helper",
          "Agent.plan",
          maybe(0.2) ? "judge.scorer" : "other",
        ]),
        started_at: time(started),
        ...(maybe(0.8) ? { ended_at: time(started + Math.floor(random() * 9) - 1) } : {}),
        parent_id: wild ?? (ids.length === 0 || maybe(0.3) ? trial : one(ids)),
        ...(maybe(0.15) ? { exception: one(["ValueError: 17 of 20", "Timeout after 3 ms\nat x"]) } : {}),
        ...(maybe(0.7) ? { attributes } : {}),
        inputs: one<Record<string, Json>>([
          { q: 1 },
          { self: "s", q: 1 },
          {},
          { q: "x".repeat(5000) },
          { model: "in-1" },
        ]),
        ...(maybe(0.5)
          ? {
              output: one<Json>([
                { usage: usage(), model: "out-1" },
                { choices: [{ finish_reason: "stop" }] },
                { stop_reason: "end" },
                "y".repeat(6000),
                { usage: usage(), text: "z".repeat(6000) },
              ]),
            }
          : {}),
        ...(maybe(0.4)
          ? {
              summary: {
                usage: one<Json>([{ "m-1": usage() }, { "m-1": usage(), "m-2": usage() }, {}]),
                ...(maybe(0.3)
                  ? {
                      weave: {
                        costs: {
                          "m-1": { prompt_tokens_total_cost: 0.5, completion_tokens_total_cost: 0.25 },
                        },
                      },
                    }
                  : {}),
              },
            }
          : {}),
      });
      ids.push(id);
    }
    if (maybe(0.05) && ids.length > 0) {
      const inner = one(ids);
      all.push({
        id: `${trial}-n`,
        project_id: PROJECT,
        op_name: "Evaluation.predict_and_score",
        started_at: time(begin),
        parent_id: inner,
        inputs: { example: { q: 1 } },
        output: { output: 1, scores: {} },
      });
      all.push({
        id: `${trial}-nc`,
        project_id: PROJECT,
        op_name: "c",
        started_at: time(begin),
        parent_id: `${trial}-n`,
        attributes: { weave: { kind: "tool" } },
      });
    }
    // No two children may be the score call that the trial names.
    const scorers = all.filter(({ op_name, parent_id }) => op_name === "judge.scorer" && parent_id === trial);
    for (const extra of scorers.slice(1)) extra.op_name = "other";
    const predicts = all.filter(
      ({ op_name, parent_id }) => op_name === "Agent.predict" && parent_id === trial,
    );
    calls.push(...all, {
      id: trial,
      project_id: PROJECT,
      op_name: "Evaluation.predict_and_score",
      started_at: time(begin),
      parent_id: evaluation,
      inputs: { example: { q: t % 7 }, model: "m" },
      output: {
        output: "x",
        scores: { ok: maybe(0.5), ...(maybe(0.5) ? { judge: 1 } : {}) },
        predicted: predicts.length,
      },
    });
  }
  return calls;
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}
