import type { PackedTrial } from "../payload/packed-steps.ts";
import { PackedText } from "./packed-text.ts";

/** Characters for the end of the text. */
const LAST = 16;

/** Packs the steps of trials into `room` characters, as many trials as fit. */
export async function packSteps(trials: AsyncIterable<PackedTrial>, room: number): Promise<string> {
  const text = new PackedText(room - LAST);
  for await (const trial of trials) if (!(await text.add([`${JSON.stringify(trial)}\n`]))) break;
  return text.end("");
}
