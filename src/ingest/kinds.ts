import type { Conventions } from "../model/conventions.ts";
import type { RecordKind } from "./formats/record-kind.ts";
import type { IngestOptions } from "./load.ts";
import type { ParsedRecord, RecordReader } from "./read-load.ts";
import { createCallReading } from "./record/call.ts";
import { parseCallRecord, type ParsedCall } from "./record/call-record.ts";
import { parseDatasetRow, type ParsedRow } from "./record/dataset-row-record.ts";

/** How the records of one kind are read. */
export interface Kind<T extends ParsedRecord> {
  /** A reader for one source. */
  readonly reader: (options: IngestOptions) => RecordReader<T>;
}

function callKind(conventions: Conventions): Kind<ParsedCall> {
  return {
    reader: ({ partial: isPart = false }) => {
      const reading = createCallReading(conventions);
      return {
        name: "calls",
        parse: (text, forms) => parseCallRecord(text, reading, isPart ? { ...forms, isPart } : forms),
      };
    },
  };
}

const ROW_KIND: Kind<ParsedRow> = {
  reader: () => ({ name: "rows", parse: (text, { members }) => parseDatasetRow(text, members) }),
};

/** Calls and dataset rows, which each record tells apart. */
function mixedKind(conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  const calls = callKind(conventions);
  return {
    reader: (options) => {
      const [call, row] = [calls.reader(options), ROW_KIND.reader(options)];
      return {
        name: "calls",
        parse: (text, forms) => (forms.isRow === true ? row : call).parse(text, forms),
      };
    },
  };
}

/** The kind of this name; `mixed` holds calls and dataset rows. */
export function kindOf(name: RecordKind | "mixed", conventions: Conventions): Kind<ParsedCall | ParsedRow> {
  switch (name) {
    case "calls":
      return callKind(conventions);
    case "rows":
      return ROW_KIND;
    case "mixed":
      return mixedKind(conventions);
  }
}
