import { createHash } from "node:crypto";
import { projectId, type DataParameters } from "./parameters.ts";
import { exactFraction, randomAt } from "./random.ts";
import { sentences } from "./text.ts";

const topics = ["algebra", "biology", "chemistry", "coding", "geography", "history", "law", "physics"];

/** One dataset row: `json` is canonical (members in order, no spaces), so its SHA-256 is the row digest. */
export interface DatasetRow {
  readonly json: string;
  readonly difficulty: number;
  /** What stands in `inputs.example` of a call, as JSON text. */
  readonly example: string;
  readonly digest: string;
  readonly inline: boolean;
}

/** Every fourth row is written into the calls themselves, the others are referred to. */
export function datasetRow(parameters: DataParameters, index: number): DatasetRow {
  const random = randomAt(parameters.seed, 1, index);
  const difficulty = exactFraction(random());
  const json = JSON.stringify({
    difficulty,
    id: `task-${index}`,
    question: sentences(random, 22),
    topic: topics[Math.floor(random() * topics.length)],
  });
  const digest = createHash("sha256").update(json).digest("base64url");
  const inline = index % 4 === 3;
  const example = inline ? json : `"svc:///${projectId}/object/questions:v3/attr/rows/id/${digest}"`;
  return { json, difficulty, example, digest, inline };
}

/** A record of the rows file, with its line end. */
export function encodeDatasetRow(row: DatasetRow): string {
  return `{"project_id":"${projectId}","digest":"${row.digest}","val":${row.json}}\n`;
}
