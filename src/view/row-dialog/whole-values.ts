import type { Json } from "../../model/json.ts";
import type { RowDetail, RowSource, WholeWanted } from "../rows/row-source.ts";
import type { WholeSource } from "./whole-text.tsx";

/** A row, and where the rest of what is long in it comes from; null: there is no more. */
export interface RowParts {
  readonly detail: RowDetail;
  readonly source: Pick<RowSource, "whole" | "steps" | "beside" | "pair"> | null;
}

/** The input of a row; of an edited one that of the evaluation at a place. */
export function wholeInput({ detail, source }: RowParts, place: number | null): WholeSource {
  const { digest } = detail;
  const bytes = place === null ? detail.inputBytes : (detail.editedBytes[place] ?? null);
  // All evaluations that have the row have the same input.
  const evaluation = place ?? detail.trials.findIndex((own) => own.length > 0);
  return {
    key: `${digest} input ${evaluation}`,
    bytes,
    file: `row-${digest.slice(0, 12)}-input`,
    read: async (signal) => {
      if (bytes === null) return found(place === null ? detail.input : detail.editedInputs?.[place]);
      const row = await wholeRow(source, { digest, evaluation, what: "input" }, signal);
      return found(row?.input);
    },
  };
}

/** The output of a trial of the evaluation at a place. */
export function wholeOutput({ detail, source }: RowParts, evaluation: number, trial: number): WholeSource {
  const { digest } = detail;
  const own = detail.trials[evaluation]?.[trial];
  const bytes = own?.outputBytes ?? null;
  return {
    key: `${digest} output ${evaluation} ${trial}`,
    bytes,
    file: `row-${digest.slice(0, 12)}-output-${evaluation + 1}-${trial + 1}`,
    read: async (signal) => {
      if (bytes === null) return found(own?.output);
      const row = await wholeRow(source, { digest, evaluation, what: "outputs" }, signal);
      return found(row?.trials[evaluation]?.find(({ id }) => id === own?.id)?.output);
    },
  };
}

async function wholeRow(
  source: RowParts["source"],
  wanted: WholeWanted,
  signal: AbortSignal,
): Promise<RowDetail | null> {
  return source === null ? null : source.whole(wanted, signal);
}

function found(value: Json | undefined): Json {
  if (value === undefined) throw new Error("It is not there any more. Open the row again.");
  return value;
}
