import type { LogSource } from "../../format.ts";
import { withPlace } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { jsonPieces } from "../../read/json-pieces.ts";
import type { SourceFile } from "../../read/source-file.ts";

/** Files of a run folder that belong to the run, also those that HELM writes for its own pages. */
export const RUN_FILES = [
  "run_spec.json",
  "scenario.json",
  "scenario_state.json",
  "per_instance_stats.json",
  "stats.json",
  "instances.json",
  "display_requests.json",
  "display_predictions.json",
] as const;

export type RunFile = (typeof RUN_FILES)[number];

/** Opens a file of the run folder, also a packed one; null where there is none. */
export async function openRunFile(
  { file, head, beside }: LogSource,
  name: RunFile,
): Promise<SourceFile | null> {
  const isFile = (one: string) => one === name || one === `${name}.gz` || one === `${name}.zst`;
  if (isFile(head.name)) return file;
  const found = head.siblings.find(isFile);
  return found === undefined ? null : await beside(found);
}

/** The pieces of a file of the run. The place of each begins with the file's name, and is that for what is left of the document. */
export async function* piecesOf(file: SourceFile, name: RunFile, cut: JsonCut): AsyncGenerator<JsonPiece> {
  try {
    for await (const piece of jsonPieces(file.bytes(), cut)) {
      const { place } = piece;
      yield {
        ...piece,
        place: place === "" || place.startsWith("[") ? `${name}${place}` : `${name}, ${place}`,
      };
    }
  } catch (error) {
    throw withPlace(name, error);
  }
}
