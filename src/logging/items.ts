import { RequestError } from "../errors.ts";
import type { EvaluateOptions } from "./api.ts";
import { isIterable } from "./check-options.ts";

type Data<Row> = EvaluateOptions<Row, unknown>["data"];
type Trials<Row> = EvaluateOptions<Row, unknown>["trials"];

/** The rows of an evaluation, each as often as it has trials; one row is read ahead. */
export async function* itemsOf<Row>(data: Data<Row>, trials: Trials<Row> = 1): AsyncGenerator<Row, void> {
  for await (const row of oneAhead(opened(data))) {
    const times = typeof trials === "number" ? trials : checked(trials(row));
    for (let i = 0; i < times; i++) yield row;
  }
}

/** How many items there will be; null where it is not known beforehand. */
export function totalOf<Row>(data: Data<Row>, trials: Trials<Row> = 1): number | null {
  return Array.isArray(data) && typeof trials === "number" ? data.length * trials : null;
}

function opened<Row>(data: Data<Row>): Iterable<Row> | AsyncIterable<Row> {
  const rows = typeof data === "function" ? data() : data;
  if (!isIterable(rows)) throw invalid("data", "must give a list or an iterable");
  return rows;
}

/** Asks for the next row while the current one is used; a list needs no asking. */
async function* oneAhead<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row, void> {
  if (!(Symbol.asyncIterator in rows)) {
    yield* rows;
    return;
  }
  const iterator = rows[Symbol.asyncIterator]();
  const ask = () => {
    const asked = iterator.next();
    // It is told when its turn comes.
    asked.catch(() => undefined);
    return asked;
  };
  let isOver = false;
  try {
    for (let next = ask(); ;) {
      const { done, value } = await next.catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      isOver = done === true;
      if (done === true) return;
      next = ask();
      yield value;
    }
  } finally {
    if (!isOver) await iterator.return?.();
  }
}

function checked(times: unknown): number {
  if (typeof times === "number" && Number.isInteger(times) && times >= 0) return times;
  throw invalid("trials", "must give a whole number from 0");
}

function invalid(name: string, msg: string): RequestError {
  return new RequestError("schema", [{ loc: [name], msg, type: "invalid_type" }]);
}
