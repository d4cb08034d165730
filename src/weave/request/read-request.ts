import { z } from "zod";
import { EvalcubeError, RequestError, type InputPath, requestFault } from "../../errors.ts";
import { checkArgument } from "../../model/arguments.ts";
import { boundFault, MOST_BYTES, MOST_VALUES } from "../../model/json-bounds.ts";
import { listItems } from "../../model/member-texts.ts";
import { jsonFault } from "../../model/messages.ts";
import { MAX_JSON_DEPTH } from "../../model/read-json.ts";
import { inOwnTurn, isLongText, mapInSlices } from "../../model/turns.ts";
import type { WeaveCaller } from "./seam.ts";

/** Reads the JSON text of a request; unknown members are ignored. Throws `RequestError` on any other text. */
export async function readRequest<T extends z.ZodType>(
  text: string,
  schema: T,
  caller: WeaveCaller,
): Promise<z.output<T>> {
  return checkArgument(await parseText(text, caller), schema);
}

function boundsOf({ maxValues = MOST_VALUES, maxItemBytes = MOST_BYTES }: WeaveCaller) {
  return { depth: MAX_JSON_DEPTH, values: maxValues, bytes: maxItemBytes };
}

/** A promise where the text is not short. */
function parseText(text: string, caller: WeaveCaller, place: InputPath = []): unknown {
  const bounds = boundsOf(caller);
  const parse = (fault: ReturnType<typeof boundFault>) => {
    if (fault !== null && fault.bound !== "depth") throw schemaFault(place, fault.msg);
    return inOwnTurn(text, () => {
      if (fault !== null) throw meaningFault(place, `must be nested at most ${MAX_JSON_DEPTH} levels deep`);
      return parseJson(text, place);
    });
  };
  const fault = inOwnTurn(text, () => boundFault(text, bounds));
  return fault instanceof Promise ? fault.then(parse) : parse(fault);
}

function parseJson(text: string, place: InputPath): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw meaningFault(place, `is not a JSON text${jsonFault(text, error)}`);
  }
}

/** Items of a list that is read item by item. */
const MOST_ITEMS = 1_000_000;

/** A request whose long list was read item by item. */
interface ReadItems<Result> {
  /** The request with an empty list instead of that one. */
  readonly rest: string;
  readonly results: Result[];
}

/**
 * Reads the items of the list that these names lead to in the JSON text of a request: each is parsed and checked by
 * itself, so that a long list does not keep others waiting. Throws `RequestError` at the first item that is refused.
 */
export async function readItems<T extends z.ZodType, Result>(
  text: string,
  names: readonly string[],
  schema: T,
  read: (item: z.output<T>, text: string, index: number) => Result | Promise<Result>,
  caller: WeaveCaller,
): Promise<ReadItems<Result>> {
  let rest = "";
  function* items() {
    rest = yield* listItems(text, names, boundsOf(caller));
  }
  const readItem = (item: string, i: number) => {
    if (i >= MOST_ITEMS) throw schemaFault(names, `must have at most ${MOST_ITEMS} items`);
    const place = [...names, i];
    const readParsed = (parsed: unknown) =>
      inOwnTurn(item, () => read(checkArgument(parsed, schema, place), item, i));
    const parsed = parseText(item, caller, place);
    return parsed instanceof Promise ? parsed.then(readParsed) : readParsed(parsed);
  };
  try {
    const results = await mapInSlices(items(), readItem, caller.signal);
    await parseText(rest, caller);
    return { results, rest };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // A long text is not parsed as a whole.
    if (!isLongText(text)) parseJson(text, []);
    throw schemaFault(names, `must be a list in a JSON text: it ${error.message}`);
  }
}

/** Asks whether the caller may use a project. */
export function authorize({ authorize: ask }: WeaveCaller, projectId: string): string {
  ask?.(projectId);
  return projectId;
}

export function schemaFault(loc: InputPath, msg: string): RequestError {
  return requestFault("schema", loc, msg, "invalid_value");
}

export function meaningFault(loc: InputPath, msg: string): RequestError {
  return requestFault("meaning", loc, msg, "unsupported_value");
}

export function notFound(what: string): EvalcubeError {
  return new EvalcubeError(
    "not_found",
    `There is no ${what} in this project. The Python SDK does not send again what its cache on disk says was sent, ` +
      "to another service too: if it was published, publish it once more with WEAVE_USE_SERVER_CACHE=false.",
  );
}

/** Throws where the sender expects another digest than that of what was sent. */
export function checkDigest(expected: string | null | undefined, digest: string): void {
  if (expected == null || expected === digest) return;
  throw new EvalcubeError(
    "conflict",
    `The expected digest ${JSON.stringify(expected)} is not that of what was sent, which is ${digest}.`,
  );
}
