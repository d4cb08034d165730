import { expect, it } from "vitest";
import { workbook } from "./workbook-file.ts";
import { zipFile } from "./zip-file.ts";
import { importBytes, PROJECT } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

const column = (at: number) => String.fromCharCode(65 + at);

function cell(value: string | number | boolean | null, r: string): string {
  if (value === null) return "";
  if (typeof value === "number") return `<c r="${r}"><v>${value}</v></c>`;
  if (typeof value === "boolean") return `<c r="${r}" t="b"><v>${Number(value)}</v></c>`;
  if (value.startsWith("<c")) return value.replace("<c", `<c r="${r}"`);
  return `<c r="${r}" t="inlineStr"><is><t>${value}</t></is></c>`;
}

/** Rows of cells: texts inline, numbers and booleans as they are, other cells as XML. */
function rowsXml(rows: readonly (readonly (string | number | boolean | null)[])[], from = 1): string {
  const lines = rows.map(
    (cells, i) =>
      `<row r="${from + i}">${cells.map((one, at) => cell(one, `${column(at)}${from + i}`)).join("")}</row>`,
  );
  return `<sheetData>${lines.join("")}</sheetData>`;
}

const TABLE = [
  ["id", "correct", "score"],
  ["a", true, 0.25],
  ["b", false, 1],
] as const;

async function imported(bytes: Buffer, table: object = {}) {
  const notes: string[] = [];
  const results = await engine.importEvaluations(
    { bytes, name: "runs.xlsx" },
    { project: PROJECT, dryRun: true, table, onNote: (note) => notes.push(note) },
  );
  return {
    notes,
    results,
    found: results.map(({ source, evaluations }) => [source, evaluations[0]?.scorers ?? []]),
  };
}

async function valuesOf(bytes: Buffer) {
  const { evaluations } = await importBytes(engine, bytes, { table: { modelName: "m" } }, "runs.xlsx");
  const id = evaluations[0]?.evaluation_call_id ?? "";
  const asked = { evaluation_call_ids: [id], include_raw_data_rows: true, resolve_row_refs: true } as const;
  const { rows } = await engine.queryEvalResults(PROJECT, asked);
  return rows
    .map(({ raw_data_row: row, evaluations: [of] }) => ({ row, scores: of?.trials[0]?.scores }))
    .toSorted((a, b) => JSON.stringify(a.row).localeCompare(JSON.stringify(b.row)));
}

it("a workbook is a folder of tables, of which hidden ones are left out and some can be picked", async () => {
  const bytes = workbook([
    { name: "One", xml: rowsXml(TABLE) },
    {
      name: "Two",
      xml: rowsXml([
        ["id", "passed"],
        ["a", true],
      ]),
    },
    { name: "Secret", xml: rowsXml(TABLE), state: "hidden" },
  ]);
  const { found, notes } = await imported(bytes);
  expect(found).toEqual([
    ["runs.xlsx/One", ["correct", "score"]],
    ["runs.xlsx/Two", ["passed"]],
  ]);
  expect(notes).toEqual(["runs.xlsx: hidden sheets are left out: Secret"]);
  expect((await imported(bytes, { sheet: "Two" })).found).toEqual([["runs.xlsx/Two", ["passed"]]]);
  await expect(imported(bytes, { sheet: "Three" })).rejects.toThrow(
    'runs.xlsx: has no sheet "Three"; there are One, Two',
  );
});

it("cells are shared and rich texts, formulas' values, errors, and dates of both epochs", async () => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>';
  const texts =
    '<sst><si><t>id</t></si><si><r><t>a &amp; </t></r><r><t xml:space="preserve">b_x000A_</t></r></si></sst>';
  const parts = [
    { name: "xl/styles.xml", data: styles },
    { name: "xl/sharedStrings.xml", data: texts },
  ];
  const xml = rowsXml([
    ['<c t="s"><v>0</v></c>', "question", "category", "score", "passed"],
    [
      "x",
      '<c t="s"><v>1</v></c>',
      '<c s="1"><v>46053.5</v></c>',
      "<c><f>1+1</f><v>2</v></c>",
      '<c t="e"><v>#DIV/0!</v></c>',
    ],
    ["y", '<c t="str"><f>"c"</f><v>c</v></c>', '<c s="2"><v>46053</v></c>', 0.1, true],
  ]);
  const at1900 = workbook([{ name: "S", xml }], parts);
  expect(await valuesOf(at1900)).toEqual([
    {
      row: expect.objectContaining({ input: "a & b\n", category: "2026-01-31T12:00:00" }) as unknown,
      scores: { passed: null, score: 2 },
    },
    {
      row: expect.objectContaining({ input: "c", category: "2026-01-31" }) as unknown,
      scores: { passed: true, score: 0.1 },
    },
  ]);
  expect((await imported(at1900)).notes).toEqual([
    "runs.xlsx/S: 1 cell with an error such as #DIV/0! has no value",
  ]);
  // The rows of the first import would stay.
  const others = xml.replaceAll("<t>x<", "<t>x2<").replaceAll("<t>y<", "<t>y2<");
  const at1904 = workbook([{ name: "S", xml: others }], parts, '<workbookPr date1904="1"/>');
  expect((await valuesOf(at1904)).map(({ row }) => (row as { category: string }).category)).toEqual([
    "2030-02-01T12:00:00",
    "2030-02-01",
  ]);
});

it("a title is left out, and a header of two lines gives the names of both", async () => {
  const cells = [
    ["", "", ""].map(() => null),
    ["id", "Scores", null],
    [null, "accuracy", "f1"],
    ["a", 0.5, 1],
    ["b", 1, 1],
  ];
  const merged =
    '<mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A5:A6"/><mergeCell ref="B5:C5"/></mergeCells>';
  const title = '<row r="1"><c r="A1" t="inlineStr"><is><t>All results</t></is></c></row>';
  const xml = rowsXml(cells, 4).replace("<sheetData>", `<sheetData>${title}`) + merged;
  const { found, notes } = await imported(workbook([{ name: "S", xml }]));
  expect(found).toEqual([["runs.xlsx/S", ["Scores.accuracy", "Scores.f1"]]]);
  expect(notes).toEqual(['runs.xlsx/S: the title "All results" above the header is left out']);
});

it("sheets without a table are named in one note, and a workbook of none is refused with its columns", async () => {
  const notes = rowsXml([
    ["who", "remark"],
    ["Ada", "fine"],
  ]);
  const legend = rowsXml([["colour"], ["red"]]);
  const some = await imported(
    workbook([
      { name: "One", xml: rowsXml(TABLE) },
      { name: "Notes", xml: notes },
      { name: "Legend", xml: legend },
    ]),
  );
  expect(some.found).toEqual([["runs.xlsx/One", ["correct", "score"]]]);
  expect(some.notes).toEqual(["runs.xlsx: sheets without a row and a score are left out: Notes, Legend"]);
  const none = workbook([
    { name: "Notes", xml: notes },
    { name: "Legend", xml: legend },
    { name: "Empty", xml: "<sheetData/>" },
  ]);
  await expect(imported(none)).rejects.toThrow(
    /^runs\.xlsx: no sheet has a row and a score: Notes \(.* who, remark\); Legend \(.* colour\); Empty \(holds no table\)$/,
  );
});

it("a cell beside the header is called by the letters of its column", async () => {
  const xml = rowsXml([
    [null, "id", "correct", null],
    ["first", "a", true, null],
    [null, "b", false, "late"],
  ]);
  const engineRows = await valuesOf(workbook([{ name: "S", xml }]));
  expect(engineRows.map(({ scores }) => scores)).toEqual([{ correct: true }, { correct: false }]);
});

const bomb = Buffer.alloc(40 * 1024 * 1024, " ").toString();
const entities = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>';

it.each([
  ["a bomb", workbook([{ name: "S", xml: bomb }]), "which is too much"],
  ["entities", workbook([{ name: "S", xml: `${entities}<sheetData/>` }]), "declares a document type"],
  [
    "a million columns",
    workbook([{ name: "S", xml: '<row r="1"><c r="BDWGN1"><v>1</v></c></row>' }]),
    "has more than 16384 columns",
  ],
  [
    "a million rows too many",
    workbook([{ name: "S", xml: '<row r="2000000"><c><v>1</v></c></row>' }]),
    "has more than 1048576 rows",
  ],
  ["no sheets", workbook([]), "runs.xlsx: is a workbook without a sheet of cells that is shown"],
  [
    "hidden sheets alone",
    workbook([{ name: "Notes", xml: "", state: "hidden" }]),
    "without a sheet of cells that is shown; hidden: Notes",
  ],
  [
    "XML that ends early",
    workbook([{ name: "S", xml: '<sheetData><row r="1' }]),
    "ends in the middle of XML",
  ],
  [
    "a password",
    Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")]),
    "save it without one",
  ],
  [
    "an old format",
    Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]),
    "(.xls): save it as .xlsx or CSV",
  ],
  [
    "OpenDocument",
    zipFile([
      { name: "content.xml", data: "" },
      { name: "META-INF/manifest.xml", data: "" },
    ]),
    "(.ods): save it as .xlsx or CSV",
  ],
])("a workbook with %s is refused by name", async (_, bytes, reason) => {
  await expect(imported(bytes)).rejects.toThrow(reason);
});
