import { call, root, trial } from "../support/records.ts";

/** A call of a tool: its name, an argument, and how it failed; null where the source does not say whether it did. */
export type Tool = readonly [name: string, argument: string, error?: string | null];

export interface Attempt {
  readonly id: string;
  readonly of: string;
  readonly row: number;
  readonly passed: boolean | null;
  readonly tools: readonly Tool[];
}

const START = Date.UTC(2026, 0, 1);

/** The calls of attempts: below each one call of a model and one of a tool a second, as SDKs write them. */
export function agentCalls(attempts: readonly Attempt[]): object[] {
  const ids = [...new Set(attempts.map(({ of }) => of))];
  return [...ids.map((id) => root(id)), ...attempts.flatMap((one, i) => attemptCalls(one, i))];
}

function attemptCalls({ id, of, row, passed, tools }: Attempt, place: number): object[] {
  const at = (seconds: number) => new Date(START + 100_000 * place + 1000 * seconds).toISOString();
  const scores = passed === null ? {} : { solved: passed };
  return [
    trial(id, { row }, scores, { parent_id: of, started_at: at(0) }),
    call(`${id}-predict`, { parent_id: id, op_name: "Agent.predict", started_at: at(0), ended_at: at(90) }),
    ...tools.flatMap(([name, argument, error], i) => [
      call(`${id}-chat-${i}`, {
        parent_id: `${id}-predict`,
        op_name: "chat",
        started_at: at(2 * i),
        ended_at: at(2 * i + 1),
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "agent-1",
          gen_ai: { usage: { input_tokens: 100, output_tokens: 10 } },
        },
        inputs: { messages: [{ role: "user", content: `do ${i}` }] },
        output: { choices: [{ message: { role: "assistant", content: `I call ${name}` } }] },
      }),
      call(`${id}-tool-${i}`, {
        parent_id: `${id}-predict`,
        op_name: name,
        started_at: at(2 * i + 1),
        ended_at: at(2 * i + 2),
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          ...(error === undefined
            ? {}
            : error === null
              ? { evalcube: { error_unknown: true } }
              : { "error.type": error }),
        },
        inputs: { argument },
        output: { done: argument },
      }),
    ]),
  ];
}
