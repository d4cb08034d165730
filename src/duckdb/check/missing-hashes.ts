import { countUnfiltered } from "../load/saved-filters.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { FileSession } from "../../store/session.ts";
import { countOf, type Problem } from "../../store/check-result.ts";

/** Checks that the filters, with which a load recognises new calls, cover every stored call. */
export async function missingHashes(session: FileSession): Promise<Problem[]> {
  const records = await countUnfiltered(session, createTurnTaker());
  if (records === 0) return [];
  const message = `hash_layers: ${countOf(records)} of calls lacks there, and could be stored twice`;
  return [{ kind: "missing", table: "hash_layers", records, message }];
}
