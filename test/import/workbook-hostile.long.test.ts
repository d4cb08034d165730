import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { builtProgram } from "../support/built-program.ts";
import { newFolders } from "./shared.ts";
import { type MadeSheet, workbook } from "./workbook-file.ts";
import { type MadeEntry, zipFile } from "./zip-file.ts";

const MIB = 1024 ** 2;
const run = promisify(execFile);
const newFolder = newFolders();

const blanks = (bytes: number) => Buffer.alloc(bytes, " ").toString("latin1");
/** Some hundred times as long as it is packed. */
const padding = (bytes: number) => {
  let text = "";
  for (let i = 0; text.length < bytes; i++) text += blanks(4000) + String((i * 7919) % 100_003);
  return text;
};
const sheet = (xml: string): MadeSheet[] => [{ name: "S", xml }];
const part = (name: string, data: string): MadeEntry => ({ name: `xl/${name}.xml`, data });
const cells = (count: number) => '<c t="n"><v>1</v></c>'.repeat(count);
const table = '<row r="1"><c t="str"><v>id</v></c></row>';

const media = (count: number): MadeEntry[] =>
  Array.from({ length: count }, (_, i) => ({ ...part(`media/${i}`, "x"), method: 0 }));

/** Each entity is ten of the one before. */
const laughs = `<!DOCTYPE a [<!ENTITY e0 "ha">${Array.from(
  { length: 12 },
  (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`,
).join("")}]>`;

const several = (count: number, xml: string): MadeSheet[] =>
  Array.from({ length: count }, (_, i) => ({ name: `S${i}`, xml }));

/** A workbook in as many files of one format as a number says. */
const nested = (times: number, pack: (inner: Buffer) => Buffer, bytes: Buffer): Buffer =>
  times === 0 ? bytes : nested(times - 1, pack, pack(bytes));
const zipped = (data: Buffer) => zipFile([{ name: "inner.xlsx", data }]);
const small = workbook(sheet(table));

/** One part that many names of sheets lead to. */
function sharedSheet(names: number): Buffer {
  const list = Array.from({ length: names }, (_, i) => `<sheet name="S${i}" r:id="r1"/>`).join("");
  return zipFile([
    { name: "xl/workbook.xml", data: `<workbook><sheets>${list}</sheets></workbook>` },
    {
      name: "xl/_rels/workbook.xml.rels",
      data: '<Relationships><Relationship Id="r1" Target="a.xml"/></Relationships>',
    },
    { name: "xl/a.xml", data: `<worksheet><sheetData>${table}</sheetData>${padding(15 * MIB)}</worksheet>` },
  ]);
}

const CASES: readonly (readonly [what: string, make: () => Buffer, reason: RegExp])[] = [
  ["a bomb", () => workbook(sheet(blanks(256 * MIB))), /which is too much|more than 200 times its size/],
  [
    "a bomb that announces little",
    () => workbook(sheet(table), [{ ...part("sharedStrings", blanks(64 * MIB)), size: 1000 }]),
    /damaged and cannot be unpacked/,
  ],
  ["many small bombs", () => workbook(several(100, padding(15 * MIB))), /is a workbook that unpacks to/],
  ["a sheet under many names", () => sharedSheet(20_000), /several sheets of the part xl\/a\.xml/],
  ["a zip file in zip files", () => nested(5, zipped, small), /inner\.xlsx|none of the formats|workbook/],
  ["gzip in gzip", () => nested(5, (inner) => gzipSync(inner), small), /packed|three times/],
  ["entities in a sheet", () => workbook(sheet(`${laughs}<row><c><v>&e12;</v></c></row>`)), /document type/],
  [
    "entities in its texts",
    () => workbook(sheet(table), [part("sharedStrings", `${laughs}<sst><si><t>&e12;</t></si></sst>`)]),
    /document type/,
  ],
  ["entities in its styles", () => workbook(sheet(table), [part("styles", laughs)]), /document type/],
  ["entities beside its sheets", () => workbook(sheet(table), [], laughs), /document type/],
  [
    "a cell in the millionth column",
    () => workbook(sheet('<row r="1"><c r="BDWGN1"><v>1</v></c></row>')),
    /more than 16384 columns/,
  ],
  ["a million cells in a row", () => workbook(sheet(`<row>${cells(700_000)}</row>`)), /16384 columns/],
  [
    "a million columns, alike",
    () => workbook(sheet(`<row>${cells(1_000_000)}</row>`)),
    /200 times its size|16384 columns/,
  ],
  ["the two millionth row", () => workbook(sheet(`<row r="2000000">${cells(1)}</row>`)), /1048576 rows/],
  [
    "more rows than there may be, alike",
    () => workbook(sheet(`<row>${cells(1)}</row>`.repeat(1_048_577))),
    /200 times its size|1048576 rows/,
  ],
  [
    "many members",
    () => workbook(sheet(table), media(60_000)),
    /is a workbook that has 600\d\d parts; 10000 are read/,
  ],
  [
    "very many members before its own",
    () => zipFile([...media(300_000), { name: "xl/workbook.xml", data: "<workbook/>" }]),
    /is a workbook that has 300001 parts; 10000 are read/,
  ],
  ["a tag without an end", () => workbook(sheet(`<row a="${padding(15 * MIB)}`)), /part without an end/],
  [
    "a text without an end",
    () => workbook(sheet(`<row><c t="str"><v>${padding(15 * MIB)}</v></c></row>`)),
    /text of more than 1048576 characters|part without an end/,
  ],
];

it.each(CASES)("a workbook with %s ends soon, in little memory, with a message", async (_, make, reason) => {
  const file = path.join(newFolder(), "runs.xlsx");
  writeFileSync(file, make());
  // What starts is no part of the two seconds; what does not end is killed by its processor time.
  // The shell stays, since a process has the greatest memory of the one that it replaces.
  const limited = 'ulimit -t 12 && "$@"; exit $?';
  const args = ["-c", limited, "sh", process.execPath, builtProgram("children/import-file"), file];
  const { stdout } = await run("sh", args);
  const { refusal, seconds, peakMiB } = JSON.parse(stdout) as {
    refusal: string | null;
    seconds: number;
    peakMiB: number;
  };
  expect(refusal).toMatch(/^ImportError: [^\n]*runs\.xlsx/);
  expect(refusal).toMatch(reason);
  expect(seconds).toBeLessThan(2);
  expect(peakMiB).toBeLessThan(256);
});
