import { ImportError } from "../../errors.ts";
import type { ImportResult } from "../translate/import-result.ts";
import type { KnownSource } from "./recognised-sources.ts";

/**
 * Sheets of workbooks that hold no table of trials: told together where others of the workbook do, a reason to refuse
 * it otherwise.
 */
export class SheetsWithout {
  private readonly workbooks = new Map<
    string,
    { hasTrials: boolean; readonly without: [string, string][] }
  >();

  /** Keeps the result of a sheet that holds nothing; gives whether it did. */
  takes({ name, workbook }: KnownSource, result: ImportResult | ImportError): boolean {
    if (workbook === undefined) return false;
    const known = this.workbooks.get(workbook) ?? { hasTrials: false, without: [] };
    this.workbooks.set(workbook, known);
    if (result instanceof ImportError || result.received > 0 || result.evaluations.length > 0) {
      known.hasTrials = true;
      return false;
    }
    const reason = result.rejected[0]?.reason ?? result.notes[0] ?? "";
    known.without.push([name.slice(workbook.length + 1), reason]);
    return true;
  }

  notes(): string[] {
    return [...this.workbooks].flatMap(([workbook, { hasTrials, without }]) => {
      const names = without.map(([sheet]) => sheet).join(", ");
      return hasTrials && names !== ""
        ? [`${workbook}: sheets without a row and a score are left out: ${names}`]
        : [];
    });
  }

  refusals(): ImportError[] {
    return [...this.workbooks].flatMap(([workbook, { hasTrials, without }]) => {
      const reasons = without.map(([sheet, reason]) => `${sheet} (${reason})`).join("; ");
      const reason = `no sheet has a row and a score: ${reasons}`;
      return hasTrials ? [] : [new ImportError("ambiguous_mapping", workbook, null, reason)];
    });
  }
}
