import type { DatasetRow } from "./dataset-rows.ts";
import { exactFraction, type Random } from "./random.ts";
import { sentences } from "./text.ts";

const labels = ["A", "B", "C", "D"];
const tones = ["neutral", "confident", "hesitant", "off topic"];

/** What one trial measured; `failed` ones have neither an answer nor scores. */
export interface Outcome {
  readonly failed: boolean;
  readonly label: string;
  readonly outputJson: string;
  readonly correctJson: string;
  readonly judgeJson: string;
  readonly latency: number;
  readonly usageJson: string;
}

export function measureOutcome(random: Random, row: DatasetRow, skill: number): Outcome {
  const ability = skill - row.difficulty * 0.6 + (random() - 0.5) * 0.7;
  const failed = random() < 0.01;
  const answer = sentences(random, 16 + Math.floor(random() * 18), true);
  const label = labels[Math.floor(random() * labels.length)] ?? "";
  const confidence = exactFraction(random());
  const tokens = {
    prompt_tokens: 180 + Math.floor(random() * 90),
    completion_tokens: Math.floor(answer.length / 4),
  };
  const total = tokens.prompt_tokens + tokens.completion_tokens;
  const judge = {
    score: exactFraction(0.5 + ability * 0.6),
    tone: tones[Math.floor(random() * tones.length)],
    rubric: { clarity: exactFraction(random() * 0.5 + 0.4), grounded: random() < 0.5 + ability * 0.5 },
  };
  return {
    failed,
    label,
    outputJson: failed ? "null" : JSON.stringify({ answer, label, confidence }),
    correctJson: failed ? "null" : String(ability > 0.1),
    judgeJson: failed ? "null" : JSON.stringify(judge),
    latency: 300_000 + Math.floor(random() * 2_500_000),
    usageJson: `{"usage":{"gpt-bench":${JSON.stringify({ requests: 1, ...tokens, total_tokens: total })}}}`,
  };
}
