import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { queryOf, type PageRows } from "../row-parts/rows-state.ts";
import { type DownloadFormat, fileOf, saveFile } from "../rows/download.ts";
import { asError } from "../row-parts/use-asked.ts";
import type { RowDetail } from "../rows/row-source.ts";
import { counted, outOf } from "../../words/figures.ts";

/** Buttons that download all rows that are shown, with whole outputs. */
export function DownloadRows({ source, columns, state, asked }: PageRows): VNode {
  const [told, setTold] = useState("");
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  // It was told of other rows.
  useEffect(() => setTold(""), [asked.answer]);
  const download = async (format: DownloadFormat) => {
    if (source === null) return;
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const tell = (text: string) => {
      if (!control.signal.aborted) setTold(text);
    };
    let read = 0;
    try {
      const query = queryOf(columns, state);
      const rows = counting(source.all(query, control.signal), (some) =>
        tell(`Reading ${outOf((read += some), asked.answer?.count ?? 0)} rows.`),
      );
      const what = { labels: columns.names.map(({ text }) => text), score: query.score };
      const pieces: Blob[] = [];
      for await (const piece of fileOf(rows, what, format)) pieces.push(new Blob([piece]));
      saveFile(new Blob(pieces, { type: TYPES[format] }), `rows.${format}`);
      tell(`Downloaded ${counted(read, "row")}.`);
    } catch (error) {
      tell(asError(error).message);
    }
  };
  return (
    <p class="downloads">
      <button type="button" onClick={() => void download("csv")}>
        Download CSV
      </button>{" "}
      <button type="button" onClick={() => void download("json")}>
        Download JSON
      </button>{" "}
      <span aria-live="polite">{told}</span>
    </p>
  );
}

const TYPES = { csv: "text/csv;charset=utf-8", json: "application/json" };

async function* counting(
  rows: AsyncIterable<readonly RowDetail[]>,
  tell: (some: number) => void,
): AsyncGenerator<readonly RowDetail[], void, undefined> {
  for await (const some of rows) {
    tell(some.length);
    yield some;
  }
}
