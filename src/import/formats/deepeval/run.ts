import { isJsonObject, type JsonObject } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain } from "../../read/json-pieces.ts";
import { expectObject, objectAt, pick, textAt } from "../../read/members.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation } from "../../translate/log-parts.ts";
import { readTime } from "../../translate/times.ts";

/** A run, and what it states of itself. */
interface DeepEvalRun {
  readonly evaluation: LogEvaluation;
  readonly notes: readonly string[];
  readonly stated: JsonObject;
}

const KNOWN_BY = ["name", "input", "scenario"];

const CASE_CUT: JsonCut = {
  members: Object.fromEntries(KNOWN_BY.map((name) => [name, {}])),
  others: "skip",
};

const RUN_MEMBERS: JsonCut["members"] = {
  testCases: { elements: CASE_CUT },
  conversationalTestCases: { elements: CASE_CUT },
  traceMetricsScores: "skip",
};

/** `.latest_test_run.json` holds the run in a member. */
const HEADER_CUT: JsonCut = { members: { ...RUN_MEMBERS, testRunData: { members: RUN_MEMBERS } } };

const SPEC = [
  "identifier",
  "hyperparameters",
  "prompts",
  "testFile",
  "datasetAlias",
  "datasetId",
  "runDuration",
];

/** Reads what belongs to the run. */
export async function openRun({ file, head }: LogSource, { table }: ReadContext): Promise<DeepEvalRun> {
  const cases: string[] = [];
  let stated: JsonObject = {};
  for await (const piece of jsonPieces(file.bytes(), HEADER_CUT)) {
    const value = expectObject(parsePlain(piece), piece.place || null);
    if (piece.place === "") stated = isJsonObject(value["testRunData"]) ? value["testRunData"] : value;
    else cases.push(hashOf(pick(value, KNOWN_BY)));
  }
  const identifier = textAt(stated, "identifier");
  const hyperparameters = objectAt(stated, "hyperparameters");
  const model = textAt(hyperparameters, "model") ?? table.modelName;
  const startedAt = timeInName(head.name);
  const notes: string[] = [];
  if (model === undefined) notes.push("the log names no model; it is unknown unless --model says it");
  if (startedAt !== null) notes.push("the time of the run is that in the name of the file, as UTC");
  const evaluation: LogEvaluation = {
    id: rootId("deepeval", hashOf([identifier, hyperparameters, cases, stated["runDuration"] ?? null])),
    task: table.taskName ?? identifier ?? "deepeval",
    model: model ?? "unknown",
    startedAt,
    spec: pick(stated, SPEC),
  };
  return { evaluation, notes, stated };
}

/** Results of 3.0.0 have a time for their name, later ones `test_run_` before it. */
function timeInName(name: string): bigint | null {
  const parts = /(?:^|(?:^|_)test_run_)(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)/.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  return readTime(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
}
