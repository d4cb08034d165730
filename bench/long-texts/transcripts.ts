import { randomAt, type Random } from "../generate/random.ts";
import { sentences } from "../generate/text.ts";

export const PROJECT = "acme/agents";
/** Begins every transcript. */
const HEAD = "You are an agent that repairs programs. Think step by step, call one tool at a time. ".repeat(
  4,
);

const KINDS = { transcript: 1, code: 2, image: 3 };

/** A chat of an agent, as JSON of about so many bytes: words, code and JSON, which a general packer makes a quarter. */
export function transcript(seed: number, bytes: number): string {
  const random = randomAt(11, KINDS.transcript, seed);
  const parts = [HEAD];
  for (let length = HEAD.length; length < bytes; length += parts.at(-1)?.length ?? bytes)
    parts.push(step(random));
  return parts.join("").slice(0, bytes).toWellFormed();
}

function step(random: Random): string {
  const kind = random();
  if (kind < 0.4) return `\nassistant: ${sentences(random, 60)}\n`;
  if (kind < 0.7) return codeOf(random);
  const files = Array.from({ length: 8 }, () => ({
    path: `src/${sentences(random, 2).slice(0, -1).replace(" ", "/")}.ts`,
    bytes: Math.floor(random() * 9000),
    changed: random() < 0.5,
  }));
  return `\ntool: ${JSON.stringify({ status: "ok", files, note: sentences(random, 12) })}\n`;
}

function codeOf(random: Random): string {
  const lines = Array.from({ length: 12 }, () => {
    const [a = "x", b = "y", c = "z"] = sentences(random, 3).slice(0, -1).split(" ");
    return `  const ${a} = await ${b}(${c}, { at: ${Math.floor(random() * 1000)} });`;
  });
  return `\n\`\`\`ts\nexport async function run() {\n${lines.join("\n")}\n}\n\`\`\`\n`;
}

/** An image in base64, which nothing makes smaller. */
export function image(seed: number, bytes: number): string {
  const random = randomAt(11, KINDS.image, seed);
  const words = Uint32Array.from({ length: bytes / 4 }, () => Math.floor(random() * 2 ** 32));
  return `data:image/png;base64,${Buffer.from(words.buffer).toString("base64").slice(0, bytes)}`;
}

const TIMES = { started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z" };

export function rootOf(evaluation: string): object {
  return { ...TIMES, id: evaluation, project_id: PROJECT, op_name: "Evaluation.evaluate" };
}

/** A trial whose output has so many bytes; each fourth one is right. */
export function trialOf(
  evaluation: string,
  at: number,
  bytes: number,
  example: object = { task: `task ${at}` },
) {
  return {
    ...TIMES,
    id: `${evaluation}-${at}`,
    project_id: PROJECT,
    parent_id: evaluation,
    op_name: "Evaluation.predict_and_score",
    inputs: { example },
    output: {
      output: transcript(at, bytes),
      scores: { right: at % 4 === 0, steps: (at * 37) % 101 },
    },
  };
}

/** The lines of an evaluation of so many trials. */
export function* evaluationOf(evaluation: string, trials: number, bytes: number): Generator<object> {
  yield rootOf(evaluation);
  for (let at = 0; at < trials; at++) yield trialOf(evaluation, at, bytes);
}
