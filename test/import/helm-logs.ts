import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

type Members = Readonly<Record<string, unknown>>;

/** How HELM perturbs an instance. */
export const TYPOS = { name: "typos", robustness: true, fairness: false, computed_on: "perturbed", seed: 7 };

/** A request to the model with its result. */
export function requestState(id: string, answer: string, others: Members = {}, instance: Members = {}) {
  return {
    instance: {
      input: { text: `What is ${id}?` },
      references: [{ output: { text: "yes" }, tags: ["correct"] }],
      split: "test",
      id,
      ...instance,
    },
    train_trial_index: 0,
    request: { model: "org/small", prompt: `Q: ${id}` },
    result: {
      success: true,
      embedding: [],
      completions: [{ text: answer, logprob: -1, tokens: [{ text: answer, logprob: -1 }] }],
      cached: false,
      request_time: 0.5,
      request_datetime: 1_760_000_000,
    },
    ...others,
  };
}

/** A figure of an instance or of a run. */
export function stat(name: string, mean: number, others: Members = {}) {
  return { name: { name, split: "test", ...others }, count: 1, sum: mean, sum_squared: mean ** 2, mean };
}

/** The figures of an instance. */
export function instanceStats(id: string, score: number, others: Members = {}, name: Members = {}) {
  return {
    instance_id: id,
    train_trial_index: 0,
    stats: [
      stat("exact_match", score, name),
      stat("num_prompt_tokens", 10, name),
      stat("num_output_tokens", 2, name),
      stat("finish_reason_stop", 1, name),
      { name: { name: "bleu", split: "test" }, count: 0, sum: 0, sum_squared: 0 },
    ],
    ...others,
  };
}

interface RunFiles {
  readonly model?: string;
  readonly states?: readonly unknown[];
  readonly instances?: readonly unknown[];
  readonly stats?: readonly unknown[];
}

/** Writes a run folder; a file that is not named is not written. Gives the folder. */
export function writeRunFolder(
  base: string,
  { model = "org/small", states, instances, stats }: RunFiles,
): string {
  const folder = path.join(base, `quiz-model=${model.replace("/", "_")}`);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown) => {
    if (value !== undefined) writeFileSync(path.join(folder, name), JSON.stringify(value));
  };
  const adapter = { method: "generation", model, model_deployment: model };
  write("run_spec.json", {
    name: `quiz:level=1,model=${model.replace("/", "_")},groups=a`,
    scenario_spec: { class_name: "Quiz", args: {} },
    adapter_spec: adapter,
    metric_specs: [],
  });
  write("scenario_state.json", states && { adapter_spec: adapter, request_states: states });
  write("per_instance_stats.json", instances);
  write("stats.json", stats);
  write("display_predictions.json", [{ instance_id: "a", predicted_text: "yes", score: 1 }]);
  return folder;
}
