import { projectId } from "../../generate/parameters.ts";
import type { Page } from "../../question.ts";
import type { PageCalls } from "../answer-page.ts";
import {
  isScoreCall,
  opName,
  parseJson,
  sumTokens,
  type ChildFacts,
  type TrialFacts,
} from "../trial-record.ts";
import { quote, type Database, type Row } from "./database.ts";
import type { SelectedPage } from "./select-page.ts";

/** Reads the calls behind the trials of a page, and its dataset rows when they are wanted. */
export async function hydrate(database: Database, selected: SelectedPage, page: Page): Promise<PageCalls> {
  if (selected.trials.size === 0) return { digests: [], trials: [], children: [], datasetRows: new Map() };
  const parameters = { project: projectId };
  // Only a list of literals makes DuckDB look ids up in an index.
  const ids = [...selected.trials.keys()].map(quote).join(", ");
  const example = page.rawDataRows ? "inputs->'$.example'" : "null";
  const trials = await database.run(
    `select id, parent_id, epoch_us(started_at) as started_at, inputs->>'$.model' as model,
      ${example} as example, output
    from calls where project_id = $project and id in (${ids})`,
    parameters,
  );
  const children = await database.run(
    `select id, parent_id, op_name, inputs->>'$.self' as self, attributes,
      epoch_us(started_at) as started_at, epoch_us(ended_at) as ended_at, summary
    from calls where project_id = $project and parent_id in (${ids})`,
    parameters,
  );
  const rows = page.rawDataRows
    ? await database.run(
        "select digest, val from dataset_rows where project_id = $project and digest in (select unnest($digests))",
        { project: projectId, digests: selected.digests },
      )
    : [];
  return {
    digests: selected.digests,
    trials: trials.map((row) => trialFacts(row, selected.trials.get(String(row["id"])) ?? "")),
    children: children.map(childFacts),
    datasetRows: new Map(rows.map((row) => [String(row["digest"]), parseJson(row["val"])])),
  };
}

function trialFacts(row: Row, digest: string): TrialFacts {
  return {
    id: String(row["id"]),
    evaluationId: String(row["parent_id"]),
    digest,
    startedAt: Number(row["started_at"]),
    model: typeof row["model"] === "string" ? row["model"] : null,
    example: parseJson(row["example"]),
    output: parseJson(row["output"]),
  };
}

function childFacts(row: Row): ChildFacts {
  return {
    id: String(row["id"]),
    parentId: String(row["parent_id"]),
    opName: opName(String(row["op_name"])),
    self: typeof row["self"] === "string" ? row["self"] : null,
    isScore: isScoreCall(parseJson(row["attributes"])),
    startedAt: Number(row["started_at"]),
    endedAt: row["ended_at"] === null ? null : Number(row["ended_at"]),
    tokens: sumTokens(parseJson(row["summary"])),
  };
}
