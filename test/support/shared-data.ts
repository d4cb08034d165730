import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const named = process.env["SHARED_DATA"];

/** Real evaluation results of others, which this repository does not contain: beside it, or where `SHARED_DATA` says. */
export const SHARED_DATA =
  named === undefined
    ? new URL("../../../shared/data/", import.meta.url)
    : pathToFileURL(path.resolve(named) + path.sep);

/** The data sets with published figures. */
export const DATA_SETS = ["tau-bench-airline", "zeroeval-gsm", "intercode"] as const;

/** Why tests of these results cannot run; null where they can. */
export const sharedDataMissing: string | null = existsSync(SHARED_DATA)
  ? null
  : named === "none"
    ? "SHARED_DATA=none"
    : `no folder ${fileURLToPath(SHARED_DATA)}; SHARED_DATA names another`;

/** Whether a run may do without: in CI only where `SHARED_DATA=none` says so. */
export const sharedDataOptional = process.env["CI"] !== "true" || named === "none";
