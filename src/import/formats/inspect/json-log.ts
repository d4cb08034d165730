import type { JsonCut } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain, readDocument } from "../../read/json-pieces.ts";
import type { LogSource } from "../../format.ts";
import { readRun, type InspectLog } from "./run.ts";
import { SAMPLE_CUT } from "./sample.ts";

const HEADER_CUT: JsonCut = {
  members: { samples: "skip", reductions: "skip", logging: "skip" },
};

const LOG_CUT: JsonCut = { members: { samples: { elements: SAMPLE_CUT } }, others: "skip" };

/** Opens a log of one JSON object. It is read twice: what belongs to the run may stand behind the samples. */
export async function openJsonLog({ file }: LogSource): Promise<InspectLog> {
  const header = await readDocument(file.bytes(), HEADER_CUT);
  async function* samples() {
    for await (const piece of jsonPieces(file.bytes(), LOG_CUT)) if (piece.place !== "") yield piece;
  }
  return { run: readRun(parsePlain(header), null), notes: [], samples: samples() };
}
