import { isJsonObject, parseJson, writeJson, type Json } from "../../model/json.ts";
import { fieldText } from "../../model/field-path.ts";
import { compareText } from "../../model/text-order.ts";
import { createTurnTaker } from "../../model/turns.ts";
import { meaningFault } from "../request/read-request.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { valuesAt } from "./payload-values.ts";
import type { PayloadSchemaRequest, ValueType } from "./statistics-requests.ts";
import { windowOf } from "./window.ts";

const USUAL_SAMPLE = 2000;
const MOST_PATHS = 100_000;

/** The paths of the leaves of the newest payloads of a window, with the kind of their values. */
export async function payloadSchema(
  feedback: WeaveSeam["feedback"],
  asked: PayloadSchemaRequest,
): Promise<string> {
  const turns = createTurnTaker();
  const types = new Map<string, ValueType>();
  let left = asked.sample_limit ?? USUAL_SAMPLE;
  for await (const record of windowOf(feedback, asked, true).records) {
    const text = record.get("payload") ?? "{}";
    for (const [path, type] of leavesIn(parseJson(text), null))
      types.set(path, (types.get(path) ?? type) === type ? type : "categorical");
    if (types.size > MOST_PATHS)
      throw meaningFault(["sample_limit"], `must lead to at most ${MOST_PATHS} paths: take fewer records`);
    if (turns.shouldYield(text.length)) await turns.next();
    if (--left === 0) break;
  }
  const paths = [...types].toSorted(([a], [b]) => compareText(a, b));
  return writeJson({ paths: paths.map(([json_path, value_type]) => ({ json_path, value_type })) });
}

/** The paths of what is no object, with the types of the values there; `head` is null at the root. */
function* leavesIn(
  value: Json,
  head: string | null,
): Generator<readonly [string, ValueType], void, undefined> {
  const path = head ?? "";
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value))
      yield* leavesIn(member, (head === null ? "" : `${head}.`) + fieldText([name]));
  } else for (const leaf of valuesAt(value)) yield [path, typeOf(leaf)];
}

function typeOf(leaf: Json): ValueType {
  if (typeof leaf === "boolean") return "boolean";
  return typeof leaf === "number" || typeof leaf === "bigint" ? "numeric" : "categorical";
}
