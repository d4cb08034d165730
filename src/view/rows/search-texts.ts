import type { Json } from "../../model/json.ts";
import { nextTurn } from "./next-turn.ts";

/** The texts of a value that a search looks through, each apart from the next, in lower case. */
export function searchText(value: Json): string {
  const texts: string[] = [];
  collect(value, texts);
  return lowerCase(texts.join("\0"));
}

/** Letters in lower case, one for one wherever they stand, as the `search` of a request has them. */
export function lowerCase(text: string): string {
  return text.replaceAll("İ", "i").replaceAll("Σ", "σ").toLowerCase();
}

function collect(value: Json, texts: string[]): void {
  if (value === null) return;
  if (typeof value !== "object") texts.push(String(value));
  else for (const member of Object.values(value)) collect(member, texts);
}

/** Runs a step for each place, a few milliseconds at a time, so that the page answers meanwhile. */
export async function inSlices(count: number, step: (place: number) => void): Promise<void> {
  let from = performance.now();
  for (let place = 0; place < count; place++) {
    step(place);
    if (place % 64 !== 63 || performance.now() - from < 8) continue;
    await nextTurn();
    from = performance.now();
  }
}
