import { createWriteStream, readdirSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { NO_BOOK } from "../../src/import/check/score-book.ts";
import type { ReadContext } from "../../src/import/format.ts";
import { IMPORT_FORMATS } from "../../src/import/formats/formats.ts";
import { openSourceFile } from "../../src/import/read/source-file.ts";
import { readHead } from "../../src/import/recognise/head.ts";
import type { LogEvaluation } from "../../src/import/translate/log-parts.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { formatTimestamp } from "../../src/model/timestamp.ts";
import { recordText } from "../../src/import/translate/clean.ts";
import { Tally } from "../../src/import/translate/tally.ts";
import { translateLog } from "../../src/import/translate/translate-log.ts";
import { PROJECT } from "./project.ts";

const place = ({ id, startedAt }: LogEvaluation, root: JsonObject) =>
  Promise.resolve({ ...root, id, display_name: id, started_at: formatTimestamp(startedAt ?? 0n) });

/** An empty database. */
const NOTHING_STORED = {
  stored: {
    hasRows: () => Promise.resolve(false),
    rowValues: () => Promise.resolve(new Map<string, string>()),
    sharedRows: () => Promise.resolve(new Set<string>()),
  },
  replaces: () => false,
  bytes: () => 0,
};

/** Writes the records that an import makes of a log as NDJSON, `<to>.calls` and `<to>.rows`. */
export async function writeRecords(log: string, to: string): Promise<void> {
  const folder = path.dirname(log);
  const file = await openSourceFile(log, log);
  const head = await readHead(file, { folders: [], siblings: readdirSync(folder) }, false);
  const format = IMPORT_FORMATS.find((one) => one.recognises(head));
  if (format === undefined) throw new Error(`${log} is not recognised`);
  const tally = new Tally(log, true);
  const opened = [file];
  const beside = async (name: string) => {
    const other = await openSourceFile(path.join(folder, name), name);
    opened.push(other);
    return other;
  };
  const source = {
    file,
    head,
    beside,
    nearby: () => Promise.resolve(null),
    parts: [],
  };
  const reading: ReadContext = {
    book: NO_BOOK,
    refuse: (fault) => {
      throw fault;
    },
    refused: () => 0,
    allMetrics: false,
    table: {},
    project: PROJECT,
    checkRecord: () => {},
    readParquet: () => {
      throw new Error("no log of the measurement is a Parquet file");
    },
  };
  const items = format.read(source, reading);
  const outs = { calls: createWriteStream(`${to}.calls`), rows: createWriteStream(`${to}.rows`) };
  const name = path.basename(log);
  const context = { projectId: PROJECT, format: format.name, source: name, title: name, rowBy: null };
  for await (const records of translateLog(items, context, tally, { ...reading, ...NOTHING_STORED, place }))
    for (const { kind, record, text } of records)
      if (!outs[kind].write(`${text ?? recordText(record).text}\n`)) await once(outs[kind], "drain");
  for (const out of [outs.calls, outs.rows]) {
    out.end();
    await once(out, "finish");
  }
  for (const one of opened) await one.close();
}
