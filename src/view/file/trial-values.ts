import { isJsonObject, type Json } from "../../model/json.ts";
import type { Trial } from "../../respond/query/response.ts";
import type { PayloadTrial } from "../payload/payload-rows.ts";

/** Where a score stands. */
export interface ScorePlace {
  readonly name: string;
  readonly scorerKey: string;
  readonly path: string | null;
}

type ScoreValue = PayloadTrial["scores"][number];

/** The trial as the report holds it, without its output; `texts` are the dimensions that may hold texts. */
export function packedTrial(
  trial: Trial,
  scores: readonly ScorePlace[],
  texts: readonly ScorePlace[],
): PayloadTrial {
  const found = texts.flatMap((place): [string, string][] => {
    const value = scoreAt(trial.scores, place);
    return typeof value === "string" ? [[place.name, value]] : [];
  });
  return {
    scores: scores.map((place) => plainScore(scoreAt(trial.scores, place))),
    latency: trial.model_latency_seconds,
    tokens: trial.total_tokens,
    error: trial.error ?? null,
    ...(found.length === 0 ? {} : { texts: Object.fromEntries(found) }),
  };
}

function plainScore(value: Json | undefined): ScoreValue {
  if (typeof value === "bigint") return Number(value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return undefined;
}

function scoreAt(scores: Trial["scores"], { scorerKey, path }: ScorePlace): Json | undefined {
  const value = Object.hasOwn(scores, scorerKey) ? scores[scorerKey] : undefined;
  return path === null || value === null ? value : memberAt(value, path);
}

/** The value at a path whose members may have dots in their names; null where the way there ends in null. */
function memberAt(value: Json | undefined, path: string): Json | undefined {
  if (value === null) return null;
  if (!isJsonObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(value, name)) return memberAt(value[name], path.slice(dot + 1));
  }
  return undefined;
}
