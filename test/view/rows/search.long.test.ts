import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../../src/index.ts";
import { makeReport } from "../../../src/view/make-report.ts";
import { readPacked } from "../../../src/view/payload/packed-rows.ts";
import { lowerCase, reportRows } from "../../../src/view/rows/report-rows.ts";
import type { RowQuery, RowSource } from "../../../src/view/rows/row-source.ts";
import { rowsRequest } from "../../../src/view/rows/rows-request.ts";
import { hostileTexts } from "../../support/hostile-texts.ts";
import { runOn } from "../../support/duckdb.ts";
import { PROJECT, root, trial } from "../../support/records.ts";

const IDS = ["e", "f"];

const TEXTS = [
  ...hostileTexts,
  "École ÉCOLE e\u0301cole",
  "ΟΔΟΣ ΣΑΣ ς",
  "İSTANBUL ısı",
  "Straße STRASSE ẞ",
  'two\nlines\tand "quotes" \\n \u001f \u0001',
  "\u{1F600} \uFEFF ﬁ K Å Ǆ ǅ",
  "null true 12e5",
];

const VALUES = [null, true, false, 0, -0.5, 12.25, 1e21, 3e-7, 9007199254740993n, [], {}, ...TEXTS];

/** Rows with each value as it is, as a member and in a list; outputs are another row's input. */
function* records() {
  for (const id of IDS) yield root(id);
  const inputs = VALUES.flatMap((value) => [value, { [`name of ${typeof value}`]: { value } }, [[value], 7]]);
  for (const [i, input] of inputs.entries())
    for (const [e, id] of IDS.entries()) {
      if ((i + e) % 3 === 0) continue;
      const output = { output: inputs[(i * 5 + e + 1) % inputs.length], scores: { acc: i % 2 } };
      yield trial(`${id}-${i}`, input, {}, { parent_id: id, output });
    }
}

const query = (search: string): RowQuery => ({
  search,
  show: "all",
  order: "stored",
  score: null,
  lowerIsBetter: false,
  baseline: null,
});

/** The texts, some parts of theirs in other cases, and parts of numbers and words. */
const terms = [
  ...hostileTexts.map((text) => text.slice(0, 1000)),
  ..."+ . - [ ] { } : , 0 1 9 e l n u e+2 e2 +21 name fals null 9007199254740993 1e21".split(" "),
  ...TEXTS.slice(hostileTexts.length)
    .flatMap((text) => [text, ...text.split(/\s+/), text.slice(2, 5)])
    .flatMap((part) => [part.toUpperCase(), part.toLowerCase()]),
].filter((term) => term.trim() !== "" && term.isWellFormed());

let engine: Engine;
let report: RowSource;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls(records());
  const { html } = await makeReport(engine, PROJECT, { evaluations: IDS, outputs: "all", score: "acc" });
  const packed = /<script type="application\/octet-stream" id="evalcube-rows">([^<]*)</.exec(html)?.[1];
  report = reportRows(await readPacked(packed ?? ""));
});
afterAll(() => engine.close());

async function foundByReport(search: string): Promise<string[]> {
  const list = await report.find(query(search), new AbortController().signal);
  return Array.from({ length: list.count }, (_, place) => list.at(place)?.digest ?? "");
}

async function foundByView(search: string): Promise<string[]> {
  const request = rowsRequest({ evaluations: IDS, scope: {} }, query(search));
  const { rows } = await engine.queryEvalResults(PROJECT, request);
  return rows.map(({ row_digest: digest }) => digest);
}

describe("a search for rows", () => {
  it("finds the same in the view as in a report", async () => {
    let found = 0;
    for (const term of terms) {
      const rows = await foundByReport(term);
      expect(await foundByView(term), JSON.stringify(term)).toEqual(rows);
      found += rows.length;
    }
    expect(found).toBeGreaterThan(terms.length);
  });

  it("looks into plain texts, and into members at any depth", async () => {
    expect((await foundByView("  istanbul ")).length).toBeGreaterThanOrEqual(3);
    expect(await foundByView("name of")).toEqual([]);
  });
});

describe("letter case", () => {
  it("is ignored by a report as by the database, in every letter of which the database knows both", async () => {
    const pairs = await runOn(
      ":memory:",
      `SELECT letter, lower(letter) FROM (SELECT chr((code + CASE WHEN code < 55296 THEN 0 ELSE 2048 END)::INTEGER) AS letter
        FROM range(1, 129024) AS codes(code)) WHERE lower(letter) <> letter`,
    );
    expect(pairs.length).toBeGreaterThan(1300);
    expect(pairs.map(([letter]) => lowerCase(String(letter)))).toEqual(pairs.map(([, lower]) => lower));
  });
});
