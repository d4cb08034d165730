export const PROJECT = "acme/qa";

const ROWS = 6;

interface Run {
  readonly id: string;
  readonly name: string | null;
  readonly day: number;
  readonly model: string;
  readonly ended?: boolean;
}

const RUNS: readonly Run[] = [
  { id: "run-1", name: "nightly", day: 1, model: "small" },
  { id: "run-2", name: "nightly", day: 2, model: "large" },
  { id: "run-3", name: "weekly (after)", day: 3, model: "small" },
  { id: "run-4", name: "twins", day: 4, model: "small" },
  { id: "run-5", name: "twins", day: 4, model: "small" },
  { id: "run-6", name: "two\nlines", day: 5, model: "large" },
  { id: "run-7", name: null, day: 6, model: "large", ended: false },
];

function call(id: string, day: number, op_name: string, members: object): object {
  const started_at = `2025-01-0${day}T00:00:00Z`;
  return { id, project_id: PROJECT, op_name, started_at, ...members };
}

/** Runs of two models, of which two share a name and a start, one has no name and did not end. */
export const CALLS: readonly object[] = RUNS.flatMap(({ id, name, day, model, ended = true }, run) => {
  const end = ended ? { ended_at: `2025-01-0${day}T00:01:00Z` } : {};
  const inputs = { self: `svc:///${PROJECT}/object/set:v1`, model: `svc:///${PROJECT}/object/${model}:v1` };
  const attributes = { branch: run % 2 === 0 ? "main" : "other" };
  const root = { ...end, inputs, attributes, ...(name === null ? {} : { display_name: name }) };
  const trials = Array.from({ length: ROWS }, (_, n) =>
    call(`${id}-${n}`, day, "Evaluation.predict_and_score", {
      parent_id: id,
      ...end,
      inputs: { example: { question: `question ${n}`, topic: n % 2 === 0 ? "law" : "art" } },
      output: {
        output: `answer ${n}`,
        scores: { correct: (n + run) % 3 !== 0, points: ((n * 7 + run * 3) % 5) / 2, remarks: `remark ${n}` },
      },
      ...(n === 5 && run === 1 ? { exception: "no answer" } : {}),
    }),
  );
  return [call(id, day, "Evaluation.evaluate", root), ...trials];
});
