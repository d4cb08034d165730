import type { Conventions } from "../../model/conventions.ts";
import type { FileStore } from "../../store/session.ts";
import { doubledRecords } from "./doubled-records.ts";
import { lostReferences } from "./lost-references.ts";
import { missingHashes } from "./missing-hashes.ts";
import type { CheckResult } from "../../store/check-result.ts";
import { readTables } from "./read-tables.ts";
import { unsettledTrials } from "./unsettled-trials.ts";

/** Reads all of one snapshot. After a block that cannot be read, tables are not compared: that would fail on the same block. */
export async function checkDatabase(
  store: FileStore,
  conventions: Conventions,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const { tables, problems } = await readTables(store, signal);
  if (problems.length > 0) return { tables, problems };
  return store.read(
    async (session) => ({
      tables,
      problems: [
        ...(await doubledRecords(session)),
        ...(await lostReferences(session)),
        ...(await unsettledTrials(session, conventions)),
        ...(await missingHashes(session)),
      ],
    }),
    signal,
  );
}
