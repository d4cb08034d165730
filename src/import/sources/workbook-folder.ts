import path from "node:path";
import { SourceFault } from "../read/fault.ts";
import { memoryFile, type SourceFile } from "../read/source-file.ts";
import { spool } from "../read/unpack.ts";
import type { ZipEntry } from "../read/zip-entry.ts";
import { nameList } from "../../model/messages.ts";
import { sheetBytes } from "../workbook/sheet-table.ts";
import { openWorkbook, type Sheet, type Workbook } from "../workbook/workbook.ts";
import type { SourceFolder } from "./source-folder.ts";

const place = (name: string) =>
  Promise.resolve({ folders: path.dirname(name).split(path.sep), siblings: [] });

interface WorkbookFolder {
  /** Names such as `file.xlsx/Sheet`. */
  readonly names: readonly string[];
  readonly folder: SourceFolder;
  /** What is to be said of the workbook, each behind its name. */
  readonly notes: string[];
}

/**
 * The sheets of a workbook as files; those that are hidden are left out unless they are asked for. Throws {@link
 * SourceFault}.
 */
export async function workbookFolder(
  file: SourceFile,
  entries: ReadonlyMap<string, ZipEntry>,
  { openAgain, asked }: { readonly openAgain: () => Promise<SourceFile>; readonly asked: readonly string[] },
): Promise<WorkbookFolder> {
  const workbook = await openWorkbook(file, entries);
  refuseUnknown(workbook, asked);
  const chosen = workbook.sheets.filter(({ name }) => asked.length === 0 || asked.includes(name));
  const hidden = nameList(workbook.hidden);
  const notes = hidden === "" ? [] : [`: hidden sheets are left out: ${hidden}`];
  const sheets = new Map(
    chosen.map((sheet) => [path.normalize(`${file.name}/${sheet.name}`), sheet] as const),
  );
  const told = new Set<string>();
  const open = async (name: string) => {
    const sheet = sheets.get(path.normalize(name));
    if (sheet === undefined)
      throw Object.assign(new Error(`${name}: no such file`), { code: "ENOENT", syscall: "open" });
    const note = (text: string) => {
      const whole = `/${sheet.name}: ${text}`;
      if (!told.has(whole)) notes.push(whole);
      told.add(whole);
    };
    const again = await openAgain();
    try {
      return {
        ...(await sheetFile({ ...workbook, file: again }, sheet, name, note)),
        modifiedAt: again.modifiedAt,
      };
    } finally {
      await again.close();
    }
  };
  return {
    names: chosen.map(({ name }) => `${file.name}/${name}`),
    folder: { isArchive: true, open, place },
    notes,
  };
}

/** Throws {@link SourceFault} where no sheet can be read, or one is asked for that is not there. */
function refuseUnknown({ sheets, hidden }: Workbook, asked: readonly string[]): void {
  if (sheets.length === 0) {
    const others = hidden.length === 0 ? "" : `; hidden: ${nameList(hidden)}`;
    throw new SourceFault(
      "unrecognised",
      null,
      `is a workbook without a sheet of cells that is shown${others}`,
    );
  }
  const unknown = asked.find((name) => sheets.every((sheet) => sheet.name !== name));
  if (unknown === undefined) return;
  const there = nameList(sheets.map(({ name }) => name));
  throw new SourceFault("unrecognised", null, `has no sheet ${JSON.stringify(unknown)}; there are ${there}`);
}

const IN_MEMORY_BYTES = 4 * 1024 * 1024;

async function sheetFile(
  workbook: Workbook,
  sheet: Sheet,
  name: string,
  note: (text: string) => void,
): Promise<SourceFile> {
  const bytes = sheetBytes(workbook, sheet, note);
  if (sheet.entry.size > IN_MEMORY_BYTES) return await spool(bytes, name);
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return memoryFile(Buffer.concat(pieces), name);
}
