import { SourceFault } from "../../read/fault.ts";
import type { JsonPiece } from "../../read/json-cut.ts";
import {
  checkMembers,
  expectObject,
  type MemberTypes,
  numberAt,
  objectAt,
  omit,
  pick,
  textAt,
} from "../../read/members.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import type { Json, JsonObject } from "../../../model/json.ts";

/** What an Inspect log says of the run as a whole. */
export interface InspectRun {
  readonly evaluation: LogEvaluation;
  readonly status: string | null;
  readonly results: JsonObject;
  /** The scorer of a log of version 1, whose samples have one score. */
  readonly onlyScorer: string | null;
  /** Members of samples that change what counts and are not read. */
  readonly later: Set<string>;
  /** Whether a time lacks its zone. */
  readonly lacksZone: boolean;
}

/** An Inspect log: the run, and its samples as they are read. */
export interface InspectLog {
  readonly run: InspectRun;
  readonly notes: readonly string[];
  readonly samples: AsyncIterable<JsonPiece | SourceFault>;
}

const RESULTS_TYPES: MemberTypes = { list: ["scores"], number: ["total_samples", "completed_samples"] };

const LONGEST_ARGUMENT = 4096;

/** Reads the log without its samples. Throws {@link SourceFault} where a member that is needed is missing. */
export function readRun(header: Json, place: string | null): InspectRun {
  const log = expectObject(header, place);
  checkMembers(log, { object: ["eval", "results", "stats", "error"], text: ["status"] }, place);
  checkMembers(objectAt(log, "results"), RESULTS_TYPES, place);
  const spec = objectAt(log, "eval");
  const { task, model, created } = neededMembers(spec, place);
  const stats = objectAt(log, "stats");
  const started = [stats["started_at"], created].find((time) => readTime(time) !== null);
  const { completed_at: ended } = stats;
  const status = textAt(log, "status");
  const results = objectAt(log, "results");
  return {
    evaluation: {
      id: rootId("inspect", textAt(spec, "eval_id") ?? identityOf(spec)),
      task,
      taskVersion: spec["task_version"],
      model,
      startedAt: readTime(started),
      endedAt: readTime(ended),
      goesOn: status === "started",
      error: status === "error" ? (textAt(objectAt(log, "error"), "message") ?? "error") : null,
      logVersion: numberAt(log, "version"),
      toolVersion: textAt(spec, "packages", "inspect_ai"),
      spec: { eval: shortArguments(spec), ...pick(log, ["plan", "status", "stats", "tags", "metadata"]) },
    },
    status,
    results,
    later: new Set(),
    onlyScorer: textAt(objectAt(results, "scorer"), "name"),
    lacksZone: [started, ended].some(lacksZone),
  };
}

function neededMembers(spec: JsonObject, place: string | null) {
  const [task, model, created] = ["task", "model", "created"].map((name) => textAt(spec, name));
  if (task != null && model != null && created != null) return { task, model, created };
  const missing = Object.entries({ task, model, created }).filter(([, value]) => value == null);
  throw new SourceFault(
    "unsupported_version",
    place,
    `lacks ${missing.map(([name]) => `eval.${name}`).join(", ")}; this is no form of Inspect log that is known`,
  );
}

function identityOf(spec: JsonObject): string {
  return hashOf([spec["run_id"] ?? null, spec["task_id"] ?? null, spec["created"] ?? null]);
}

/** Arguments of the model may hold whole answers of a stub. */
function shortArguments(spec: JsonObject): JsonObject {
  const given = objectAt(spec, "model_args");
  const long = Object.entries(given).filter(
    ([, value]) => (JSON.stringify(value, bigintText) ?? "").length > LONGEST_ARGUMENT,
  );
  return long.length === 0
    ? spec
    : {
        ...spec,
        model_args: omit(
          given,
          long.map(([name]) => name),
        ),
      };
}

function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
