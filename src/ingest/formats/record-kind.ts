import type { RecordGroup, RecordSource } from "./record-source.ts";

/** Calls, or dataset rows. */
export type RecordKind = "calls" | "rows";

/**
 * Tells calls from dataset rows by the columns, or by the first record, which stays in the source. An empty
 * source is calls. `close` lets go of what the source holds, whether it was read to its end or not at all.
 */
export async function recognizeKind(
  source: RecordSource,
): Promise<{ kind: RecordKind; source: RecordSource; close: () => Promise<void> }> {
  const groups = source.groups[Symbol.asyncIterator]();
  const first = await groups.next();
  async function* all() {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => groups };
  }
  return {
    kind: first.done === true ? "calls" : kindOfGroup(first.value),
    source: { ...source, groups: all() },
    close: async () => {
      await groups.return?.(undefined);
    },
  };
}

/** The kind of record that columns of these names can be. */
function kindOfColumns(columns: readonly string[]): RecordKind {
  return columns.includes("val") && !columns.includes("id") && !columns.includes("op_name")
    ? "rows"
    : "calls";
}

function kindOfGroup({ columns, records }: RecordGroup): RecordKind {
  if (columns !== undefined) return kindOfColumns(columns);
  for (const { text } of records) if (typeof text === "string") return isDatasetRow(text) ? "rows" : "calls";
  return "calls";
}

function isDatasetRow(text: string): boolean {
  try {
    const record: unknown = JSON.parse(text);
    return (
      typeof record === "object" &&
      record !== null &&
      "val" in record &&
      !("id" in record) &&
      !("op_name" in record)
    );
  } catch {
    return false;
  }
}
