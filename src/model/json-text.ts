import { isDeeper } from "./json-bounds.ts";
import { parseJson, type Json } from "./json.ts";

const MAX_DEPTH = 900;

/** The value that a JSON text stands for; of any other text itself. */
export function parsedOr(text: string): Json {
  if (isDeeper(text, MAX_DEPTH)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
