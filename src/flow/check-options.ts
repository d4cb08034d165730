import { EvalcubeError } from "../errors.ts";
import { didYouMean } from "../model/nearest.ts";
import { shown } from "../model/messages.ts";
import { PROJECT_ID, PROJECT_ID_RULE } from "../model/project-id.ts";

/** The values that an option may have; `allowed` completes the sentence "<name> must be ...". */
export interface OptionRule {
  readonly allowed: string;
  readonly fits: (value: unknown) => boolean;
}

export type OptionRules = Readonly<Record<string, OptionRule>>;

/** Throws on an unknown option, and on a value that is not allowed. An undefined option counts as not given. */
export function checkOptions(options: unknown, rules: OptionRules): void {
  if (!isObject(options)) throw invalidOption(`options must be an object with ${listed(rules)}`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const near = didYouMean(name, Object.keys(rules)) || `; there are ${listed(rules)}`;
      throw invalidOption(`there is no option ${JSON.stringify(name)}${near}`);
    }
    if (value !== undefined && !rule.fits(value))
      throw invalidOption(`${name} must be ${rule.allowed}, not ${shown(value)}`);
  }
}

/** Throws unless the value is a string that a statement can hold: one without U+0000. */
export function checkText(name: string, value: unknown): void {
  if (typeof value !== "string" || value.includes("\0")) {
    throw invalidOption(`${name} must be a text without U+0000`);
  }
}

export const RULE = {
  signal: {
    allowed: "an AbortSignal",
    fits: (value) =>
      isObject(value) && hasMethods(value, "throwIfAborted", "addEventListener", "removeEventListener"),
  },
  flag: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
  callback: { allowed: "a function", fits: (value) => typeof value === "function" },
} satisfies OptionRules;

/** One of some texts. */
export function oneOf(...values: readonly string[]): OptionRule {
  return {
    allowed: values.map((value) => JSON.stringify(value)).join(" or "),
    fits: (value) => typeof value === "string" && values.includes(value),
  };
}

/** Throws unless the value names a project. */
export function checkProjectId(value: unknown): void {
  if (typeof value === "string" && PROJECT_ID.test(value)) return;
  throw invalidOption(`project ${PROJECT_ID_RULE}, not ${shown(value)}`);
}

/** Throws unless the value names a project, and the options are those of a query. */
export function checkQuery(projectId: unknown, options: unknown): void {
  checkProjectId(projectId);
  checkOptions(options, { signal: RULE.signal });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

export function hasMethods(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "function");
}

function listed(rules: OptionRules): string {
  return Object.keys(rules).join(", ");
}

export function invalidOption(message: string): EvalcubeError {
  return new EvalcubeError("invalid_option", message);
}
