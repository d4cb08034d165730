import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import { textAt } from "../../read/members.ts";
import type { LogItem } from "../../translate/log-parts.ts";
import { CallOverview } from "./overview.ts";
import { exportedTexts, isExport, rowText, type ExportedRecord } from "./records.ts";

/** Exports of W&B Weave: calls and dataset rows, as the trace server answers them. */
export const weave: Format = {
  name: "weave",
  statesNoFigures: () => true,
  keepsProjects: true,
  recognises: isExport,
  read: readExport,
};

async function* readExport(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const overview = new CallOverview();
  let calls = 0;
  for await (const { place, read } of exportedTexts(source)) {
    const exported = orRefused(() => checkedRecord(read(), context), place, context.refuse);
    if (exported === null) continue;
    if (exported.kind === "call") overview.add(exported.record);
    if (exported.kind === "call") calls++;
    yield { ...exported, place };
  }
  const evaluations = overview.evaluations();
  for (const evaluation of evaluations) yield { kind: "overview", evaluation };
  const stray = overview.strayTrials();
  if (stray > 0)
    yield { kind: "note", text: `${stray} trials belong to evaluations that are not in the file` };
  if (calls > 0 && evaluations.length === 0) yield { kind: "note", text: "no evaluation is among the calls" };
}

function checkedRecord(exported: ExportedRecord, context: ReadContext): ExportedRecord {
  const own = ownRecord(exported, context);
  context.checkRecord(own.text, own.kind);
  return own;
}

/** The record in its own project, which must be the one that the caller names; a row without one gets it. */
function ownRecord(exported: ExportedRecord, { project }: ReadContext): ExportedRecord {
  const own = textAt(exported.record, "project_id");
  if (own !== null && project !== null && own !== project)
    throw new SourceFault(
      "invalid",
      "project_id",
      `is ${own} and not ${project}: leave the project out, or name that one`,
    );
  if (exported.kind === "call" || own !== null) return exported;
  if (project === null)
    throw new SourceFault("invalid", null, "a dataset row does not say its project; name it (--project)");
  return { ...exported, text: rowText(exported.text, project) };
}
