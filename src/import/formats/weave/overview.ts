import { DEFAULT_CONVENTIONS } from "../../../model/conventions.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { operationName, parseReference } from "../../../model/references.ts";
import { formatTimestamp } from "../../../model/timestamp.ts";
import { objectAt, textAt } from "../../read/members.ts";
import { hashOf } from "../../translate/ids.ts";
import type { ImportedEvaluation } from "../../translate/import-result.ts";
import { readTime } from "../../translate/times.ts";

const EVALUATE_OP = "Evaluation.evaluate";
const ROW_CHARACTERS = 12;

interface Counted {
  trials: number;
  errors: number;
  readonly rows: Set<string>;
  readonly scorers: Set<string>;
}

/** Counts what calls hold. Calls come in any order: a trial may precede its evaluation. */
export class CallOverview {
  readonly #roots = new Map<string, JsonObject>();
  readonly #counts = new Map<string, Counted>();

  add(call: JsonObject): void {
    const name = operationName(textAt(call, "op_name") ?? "");
    const id = textAt(call, "id") ?? "";
    if (name === EVALUATE_OP) this.#roots.set(id, rootParts(call));
    else if (DEFAULT_CONVENTIONS.predictAndScoreOps.includes(name)) this.#addTrial(call);
  }

  #addTrial(call: JsonObject): void {
    const of = textAt(call, "parent_id") ?? "";
    const counted = this.#counts.get(of) ?? { trials: 0, errors: 0, rows: new Set(), scorers: new Set() };
    this.#counts.set(of, counted);
    counted.trials++;
    if (isError(call)) counted.errors++;
    counted.rows.add(hashOf(objectAt(call, "inputs")["example"] ?? null).slice(0, ROW_CHARACTERS));
    for (const key of Object.keys(objectAt(call["output"], "scores"))) counted.scorers.add(key);
  }

  evaluations(): ImportedEvaluation[] {
    return Array.from(this.#roots, ([id, { self = null, model = null, started = null }]) => {
      const counted = this.#counts.get(id);
      const time = readTime(started);
      return {
        evaluation_call_id: id,
        task: nameOf(self),
        model: nameOf(model),
        label: null,
        started_at: time === null ? null : formatTimestamp(time),
        rows: counted?.rows.size ?? 0,
        trials: counted?.trials ?? 0,
        errors: counted?.errors ?? 0,
        scorers: [...(counted?.scorers ?? [])],
      };
    });
  }

  /** Trials whose evaluation is not among the calls. */
  strayTrials(): number {
    return Array.from(this.#counts)
      .filter(([id]) => !this.#roots.has(id))
      .reduce((sum, [, { trials }]) => sum + trials, 0);
  }
}

function rootParts(call: JsonObject): JsonObject {
  const { self = null, model = null } = objectAt(call, "inputs");
  return { self, model, started: call["started_at"] ?? null };
}

/** The SDKs do not fail a trial whose model fails: it has no output and no scores. */
function isError(call: JsonObject): boolean {
  if (textAt(call, "exception") !== null) return true;
  const { output } = call;
  if (!isJsonObject(output)) return false;
  if (typeof output["model_success"] === "boolean") return !output["model_success"];
  return output["output"] === null && Object.keys(objectAt(output, "scores")).length === 0;
}

/** The name in a reference; any other text as it is. */
function nameOf(value: Json): string {
  if (isJsonObject(value)) return textAt(value, "name") ?? "unknown";
  if (typeof value !== "string" || value === "") return "unknown";
  return parseReference(value)?.name ?? value;
}
