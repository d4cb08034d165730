import { datasetRow, encodeDatasetRow } from "./dataset-rows.ts";
import { evaluationRun, rootLine } from "./evaluation-run.ts";
import { countDatasetRows, type DataParameters } from "./parameters.ts";
import { trialLines } from "./trial-calls.ts";

const chunkBytes = 1 << 20;

/** The calls file in pieces of about a megabyte, each of whole lines. */
export function callChunks(parameters: DataParameters): Generator<Buffer> {
  return packLines(callLines(parameters));
}

/** The dataset rows that the calls refer to, in pieces of whole lines. */
export function rowChunks(parameters: DataParameters): Generator<Buffer> {
  return packLines(rowLines(parameters));
}

/** 100 calls (25 trials) of one more evaluation that is still running; each `batch` is other calls. */
export function lateCalls(parameters: DataParameters, batch: number): { evaluationId: string; text: string } {
  const run = evaluationRun(parameters, parameters.evaluations);
  let text = "";
  for (let index = 0; index < 25; index += 1) {
    const row = run.firstRow + ((batch * 25 + index) % parameters.rows);
    text += trialLines(parameters, run, row, batch).join("");
  }
  return { evaluationId: run.id, text };
}

function* callLines(parameters: DataParameters): Generator<string> {
  for (let index = 0; index < parameters.evaluations; index += 1) {
    const run = evaluationRun(parameters, index);
    const root = rootLine(parameters, run);
    if (parameters.order === "parents-first") yield root;
    for (let row = run.firstRow; row < run.firstRow + parameters.rows; row += 1) {
      for (let trial = 0; trial < parameters.trials; trial += 1) {
        const lines = trialLines(parameters, run, row, trial);
        yield* parameters.order === "parents-first" ? lines.reverse() : lines;
      }
    }
    if (parameters.order === "children-first") yield root;
  }
}

function* rowLines(parameters: DataParameters): Generator<string> {
  for (let index = 0; index < countDatasetRows(parameters); index += 1) {
    const row = datasetRow(parameters, index);
    if (!row.inline) yield encodeDatasetRow(row);
  }
}

/** Encodes each line at once: text that waits in a long concatenation costs more than making it. */
function* packLines(lines: Iterable<string>): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let used = 0;
  for (const line of lines) {
    if (used + line.length * 3 > chunkBytes) {
      yield buffer.subarray(0, used);
      buffer = Buffer.allocUnsafe(chunkBytes);
      used = 0;
    }
    used += buffer.write(line, used);
  }
  if (used > 0) yield buffer.subarray(0, used);
}
