import type { RecordSource } from "./record-source.ts";

export type RecordKind = "calls" | "rows";

/** Tells calls from dataset rows by the first record, which stays in the source. An empty source is calls. */
export async function recognizeKind(
  source: RecordSource,
): Promise<{ kind: RecordKind; source: RecordSource }> {
  const groups = source.groups[Symbol.asyncIterator]();
  const first = await groups.next();
  async function* all() {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => groups };
  }
  const text =
    first.done === true
      ? undefined
      : first.value.records.find((record) => typeof record.text === "string")?.text;
  return {
    kind: typeof text === "string" && isDatasetRow(text) ? "rows" : "calls",
    source: { ...source, groups: all() },
  };
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
