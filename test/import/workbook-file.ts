import { type MadeEntry, zipFile } from "./zip-file.ts";

/** A sheet of a workbook: its XML below `worksheet`, and how it is shown. */
export interface MadeSheet {
  readonly name: string;
  readonly xml: string;
  readonly state?: string;
}

/** A workbook of these sheets and other parts; what is to stand before its list of sheets comes last. */
export function workbook(
  sheets: readonly MadeSheet[],
  others: readonly MadeEntry[] = [],
  properties = "",
): Buffer {
  const listed = sheets.map(
    ({ name, state }, i) =>
      `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i + 1}"${state === undefined ? "" : ` state="${state}"`}/>`,
  );
  const targets = sheets.map(
    (_, i) => `<Relationship Id="r${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`,
  );
  return zipFile([
    {
      name: "xl/workbook.xml",
      data: `<?xml version="1.0"?><workbook>${properties}<sheets>${listed.join("")}</sheets></workbook>`,
    },
    { name: "xl/_rels/workbook.xml.rels", data: `<Relationships>${targets.join("")}</Relationships>` },
    ...sheets.map(({ xml }, i) => ({
      name: `xl/worksheets/sheet${i + 1}.xml`,
      data: `<x:worksheet>${xml}</x:worksheet>`,
    })),
    ...others,
  ]);
}
