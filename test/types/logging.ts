/** Compiled by `npm run check`, never run: what a task and its scorers know of rows and outputs. */
import type { Engine, EvaluateOptions, EvaluationRun } from "../../src/index.ts";

type Same<A, B> = [A, B] extends [B, A] ? true : false;

interface Question {
  readonly question: string;
  readonly answer: number;
}

/** Passes if its argument has exactly this type. */
function is<Type>() {
  return <Value>(_value: Value, _same: Same<Type, Value> & true): boolean => true;
}

export async function evaluateTyped(engine: Engine, rows: readonly Question[]): Promise<EvaluationRun> {
  const names = { name: "typed", model: "bot" };
  await engine.evaluate("acme/qa", {
    ...names,
    data: (async function* () {
      yield* rows;
    })(),
    task: (row) => [row.question],
    scorers: { one: ({ output }) => is<string[]>()(output, true) },
  });
  await engine.evaluate("acme/qa", {
    ...names,
    data: rows,
    task: ({ answer }) => answer,
    // @ts-expect-error a Date is no score
    scorers: { when: () => new Date() },
  });
  await engine.evaluate("acme/qa", {
    ...names,
    data: rows,
    task: ({ answer }) => answer,
    // @ts-expect-error a list is no score
    scorers: { each: () => [1] },
  });
  // @ts-expect-error the model is missing
  const short: EvaluateOptions<Question, number> = { name: "typed", data: rows, task: () => 1, scorers: {} };
  return await engine.evaluate("acme/qa", {
    ...short,
    ...names,
    data: () => rows,
    task: async (row, { signal, trial }) => ({ text: `${row.question} ${trial}`, done: signal.aborted }),
    scorers: {
      correct: ({ row, output }) =>
        is<Question>()(row, true) && is<{ text: string; done: boolean }>()(output, true),
      judge: async ({ row, output, trial }) => ({ same: output.text === row.question, trial }),
      silent: () => undefined,
      unsure: async ({ output }) => (output.done ? 0.5 : null),
    },
  });
}

export async function logTyped(engine: Engine, rows: readonly Question[]): Promise<EvaluationRun> {
  await using run = engine.startEvaluation<Question, string>("acme/qa", {
    name: "typed",
    model: { name: "bot", seed: 1 },
  });
  for (const row of rows) {
    const prediction = run.startPrediction(row);
    prediction.output(row.question, { usage: { big: { total_tokens: 1, cached: 2 } } });
    prediction.logScore("judge", { tone: "kind", parts: { style: 0.5 } });
    // @ts-expect-error the output is a text
    prediction.output(row.answer);
    await prediction.finish();
  }
  // @ts-expect-error the row has no answer
  run.startPrediction({ question: "?" });
  return await run.finish({ summary: { cost: 1 } });
}
