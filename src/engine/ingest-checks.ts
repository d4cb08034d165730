import { checkOptions, checkText, invalidOption, SIGNAL_RULE, type OptionRules } from "./option-checks.ts";

const INGEST_RULES: OptionRules = {
  onInvalid: { allowed: '"fail" or "skip"', fits: (value) => value === "fail" || value === "skip" },
  signal: SIGNAL_RULE,
  onProgress: { allowed: "a function", fits: (value) => typeof value === "function" },
};

const FILE_RULES: OptionRules = {
  ...INGEST_RULES,
  kind: { allowed: '"calls" or "rows"', fits: (value) => value === "calls" || value === "rows" },
};

export function checkIngest(options: unknown): void {
  checkOptions(options, INGEST_RULES);
}

export function checkFileIngest(options: unknown): void {
  checkOptions(options, FILE_RULES);
}

/** Of the ids, only that they are a list: each is looked at when it is loaded. */
export function checkDeletion(projectId: unknown, ids: unknown, options: unknown): void {
  checkText("project", projectId);
  if (!Array.isArray(ids)) throw invalidOption("ids must be a list of the ids of calls");
  checkIngest(options);
}
