import { z } from "zod";
import { checkArgument } from "../model/arguments.ts";
import { checkOptions, checkProjectId, SIGNAL_RULE, type OptionRules } from "../flow/check-options.ts";

const INGEST_RULES: OptionRules = {
  onInvalid: { allowed: '"fail" or "skip"', fits: (value) => value === "fail" || value === "skip" },
  signal: SIGNAL_RULE,
  onProgress: { allowed: "a function", fits: (value) => typeof value === "function" },
};

const CALL_RULES: OptionRules = {
  ...INGEST_RULES,
  partial: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
};

const FILE_RULES: OptionRules = {
  ...INGEST_RULES,
  kind: { allowed: '"calls" or "rows"', fits: (value) => value === "calls" || value === "rows" },
};

export function checkIngest(options: unknown): void {
  checkOptions(options, INGEST_RULES);
}

export function checkCallIngest(options: unknown): void {
  checkOptions(options, CALL_RULES);
}

export function checkFileIngest(options: unknown): void {
  checkOptions(options, FILE_RULES);
}

export function checkDeletion(projectId: unknown, ids: unknown, options: unknown): void {
  checkProjectId(projectId);
  checkArgument(ids, z.array(z.string().min(1)), ["ids"]);
  checkIngest(options);
}
