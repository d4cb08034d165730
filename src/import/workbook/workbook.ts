import { SourceFault } from "../read/fault.ts";
import type { SourceFile } from "../read/source-file.ts";
import { attribute, readXml, xmlText, type XmlHandler } from "../read/xml.ts";
import { checkParts, entryBytes, WORKBOOK, type ZipEntry } from "../read/zip-entry.ts";
import { isDateFormat } from "./dates.ts";

type Entries = ReadonlyMap<string, ZipEntry>;

/** A workbook, as far as its sheets share it. */
export interface Workbook {
  readonly file: SourceFile;
  readonly entries: Entries;
  readonly sheets: readonly Sheet[];
  /** Names of sheets that are not shown. */
  readonly hidden: readonly string[];
  readonly begins1904: boolean;
}

export interface Sheet {
  readonly name: string;
  readonly entry: ZipEntry;
}

/** What cells refer to. */
export interface Shared {
  /** As JSON. */
  readonly texts: readonly string[];
  /** Whether a number of a style is a date. */
  readonly isDate: readonly boolean[];
}

const MOST_BYTES = 2 * 1024 ** 3;
/** Sheets of equal rows unpack to some fifty times their size. */
const MOST_RATIO = 200;
const SMALL_BYTES = 16 * 1024 ** 2;
const MOST_TEXT_CHARACTERS = 64 * 1024 ** 2;
/** The programs that write workbooks allow 32,767. */
const MOST_CELL_CHARACTERS = 1024 ** 2;

export function isWorkbook(entries: Entries | null): entries is Entries {
  return entries?.has(WORKBOOK) === true;
}

function tooLarge(reason: string): SourceFault {
  return new SourceFault("invalid", null, `is a workbook that ${reason}: save it as CSV`);
}

/** Refuses what would unpack to too much, before anything is unpacked. Throws {@link SourceFault}. */
function checkBounds({ size: fileSize }: SourceFile, entries: Entries): void {
  checkParts(entries.size);
  let all = 0;
  for (const { name, size, compressedSize } of entries.values()) {
    all += size;
    if (size > SMALL_BYTES && size > compressedSize * MOST_RATIO)
      throw tooLarge(`has the part ${name}, which unpacks to more than ${MOST_RATIO} times its size`);
  }
  // Parts may be many, and may share bytes of the file.
  const most = Math.min(MOST_BYTES, Math.max(SMALL_BYTES, fileSize * MOST_RATIO));
  if (all > most) throw tooLarge(`unpacks to ${all} bytes; ${most} are read`);
}

/** Reads what a workbook says of its sheets. Throws {@link SourceFault}. */
export async function openWorkbook(file: SourceFile, entries: Entries): Promise<Workbook> {
  checkBounds(file, entries);
  const targets = new Map<string, string>();
  await readPart(file, entries, "xl/_rels/workbook.xml.rels", {
    open: (name, all) => {
      if (name === "Relationship") targets.set(attribute(all, "Id") ?? "", attribute(all, "Target") ?? "");
    },
  });
  const sheets: Sheet[] = [];
  const read = new Set<ZipEntry>();
  const hidden: string[] = [];
  let begins1904 = false;
  await readPart(file, entries, WORKBOOK, {
    open: (name, all) => {
      if (name === "workbookPr") begins1904 = /^(1|true)$/.test(attribute(all, "date1904") ?? "");
      if (name !== "sheet") return;
      const title = attribute(all, "name") ?? "";
      if ((attribute(all, "state") ?? "visible") !== "visible") hidden.push(title);
      else {
        const entry = entries.get(partName(targets.get(attribute(all, "id") ?? "") ?? ""));
        // A sheet of a diagram has no cells.
        if (entry === undefined || entry.name.includes("chartsheets/")) return;
        if (read.has(entry)) throw tooLarge(`has several sheets of the part ${entry.name}`);
        read.add(entry);
        sheets.push({ name: title, entry });
      }
    },
  });
  return { file, entries, sheets, hidden, begins1904 };
}

/** The part that a target of the workbook names. */
function partName(target: string): string {
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

/** The texts and styles that cells refer to. Throws {@link SourceFault}. */
export async function readShared({ file, entries }: Workbook): Promise<Shared> {
  const texts: string[] = [];
  let characters = 0;
  await readPart(
    file,
    entries,
    "xl/sharedStrings.xml",
    richText("si", (text) => {
      characters += text.length;
      if (characters > MOST_TEXT_CHARACTERS)
        throw new SourceFault(
          "invalid",
          "xl/sharedStrings.xml",
          `holds more than ${MOST_TEXT_CHARACTERS} characters of texts: save the sheet as CSV`,
        );
      texts.push(JSON.stringify(text));
    }),
  );
  const codes = new Map<number, string>();
  const isDate: boolean[] = [];
  let isCell = false;
  await readPart(file, entries, "xl/styles.xml", {
    open: (name, all) => {
      const format = Number(attribute(all, "numFmtId"));
      if (name === "numFmt") codes.set(format, attribute(all, "formatCode") ?? "");
      if (name === "cellXfs") isCell = true;
      if (name === "xf" && isCell) isDate.push(isDateFormat(format, codes.get(format)));
    },
    close: (name) => {
      if (name === "cellXfs") isCell = false;
    },
  });
  return { texts, isDate };
}

/**
 * Hears of the texts of elements of a name, put together from their parts; what tells how a text is read is left out.
 */
function richText(element: string, take: (text: string) => void): XmlHandler {
  let text: string | null = null;
  let isText = false;
  let isReading = false;
  return {
    open: (name) => {
      if (name === element) text = "";
      if (name === "rPh") isReading = true;
      isText = name === "t" && !isReading;
    },
    text: (written) => {
      if (isText && text !== null) text = longer(text, written);
    },
    close: (name) => {
      if (name === "rPh") isReading = false;
      isText = false;
      if (name !== element || text === null) return;
      take(unescaped(text));
      text = null;
    },
  };
}

/** A text with a further part of it. Throws {@link SourceFault} where it is longer than any cell. */
export function longer(text: string, written: string): string {
  const whole = text + xmlText(written);
  if (whole.length > MOST_CELL_CHARACTERS)
    throw tooLarge(`has a text of more than ${MOST_CELL_CHARACTERS} characters`);
  return whole;
}

/** Characters that XML cannot hold are written `_x000D_`. */
export function unescaped(text: string): string {
  return text.replaceAll(/_x([\da-f]{4})_/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

async function readPart(
  file: SourceFile,
  entries: Entries,
  name: string,
  handler: Partial<XmlHandler>,
): Promise<void> {
  const entry = entries.get(name);
  if (entry !== undefined) await readXml(entryBytes(file, entry), name, { ...SILENT, ...handler });
}

const SILENT: XmlHandler = { open: () => {}, close: () => {}, text: () => {} };
