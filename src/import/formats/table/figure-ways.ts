import { meanOf, sumOf } from "../../check/moments.ts";
import { countOf } from "../../../model/messages.ts";
import { type FigureKind as Kind, PERCENT } from "./figure-names.ts";
import { plainName } from "./guess-names.ts";

/** The values of a score, and how many trials have none. */
export interface Values {
  readonly byRow: readonly (readonly number[])[];
  readonly known: readonly number[];
  readonly nulls: number;
  readonly errors: number;
  readonly missing: number;
}

/** Counts some trials as failed that have no value. */
interface Rule {
  readonly name: string;
  /** How many trials; 0 where the rule does not apply. */
  readonly added: (values: Values) => number;
  readonly what: string;
  readonly flags: string;
}

const NULLS = "--count-nulls-as 0";
const ERRORS = "--count-errors-as 0";

/** The first by which a figure agrees explains it. */
const RULES: readonly Rule[] = [
  { name: "nulls", added: ({ nulls }) => nulls, what: "without verdict", flags: NULLS },
  { name: "errors", added: ({ errors }) => errors, what: "in error", flags: ERRORS },
  {
    name: "nulls and errors",
    added: ({ nulls, errors }) => (nulls > 0 && errors > 0 ? nulls + errors : 0),
    what: "in error or without verdict",
    flags: `${NULLS} ${ERRORS}`,
  },
  {
    name: "missing trials",
    added: ({ nulls, errors, missing }) => (missing > 0 ? nulls + errors + missing : 0),
    what: "that are stated and have no value",
    flags: "",
  },
];

/** A value that a figure may have. */
interface Way {
  readonly value: number;
  /** What explains it, and the same as the end of a sentence; absent for the value that the trials give. */
  readonly rule?: string;
  readonly said?: string;
}

/** A figure of a score. */
export interface Meant {
  readonly name: string;
  readonly stated: number;
  readonly kind: Kind | null;
  readonly score: string;
  readonly values: Values;
}

function isCount({ name, stated, kind, score }: Meant): boolean {
  return (kind === "passed" || kind === "failed") && Number.isSafeInteger(stated) && name !== score;
}

function isPercent(meant: Meant): boolean {
  const { name, stated, values } = meant;
  if (isCount(meant)) return false;
  const isShare = values.known.every((value) => value >= 0 && value <= 1);
  return PERCENT.test(plainName(name)) || name.includes("%") || (stated > 1 && isShare);
}

/** The values that a figure may have, in the order in which they are tried. */
export function* waysOf(meant: Meant): Generator<Way> {
  const { name, kind, score, values } = meant;
  const { known, byRow } = values;
  const scale = isPercent(meant) ? 100 : 1;
  const sum = sumOf(known);
  const passed = known.filter((value) => value === 1).length;
  const isWrong = kind === "failed";
  const under = (added: number) => {
    const all = known.length + added;
    if (isCount(meant)) return isWrong ? all - passed : passed;
    return ((isWrong ? all - sum : sum) / all) * scale;
  };
  yield { value: under(0) };
  if (name === score) yield { value: sum };
  for (const rule of RULES) {
    const added = rule.added(values);
    const flags = rule.flags === "" ? "" : ` (${rule.flags})`;
    const said = `it counts the ${countOf(added, "trial")} ${rule.what} as failed${flags}`;
    if (added > 0) yield { value: under(added), rule: `${rule.name} as failures${flags}`, said };
  }
  if (!isCount(meant))
    yield {
      value: meanOf(byRow.map(meanOf)) * scale,
      rule: "rows instead of trials",
      said: "it is the mean of the rows, not of the trials",
    };
}

/** How far a figure may lie off as it is rounded. */
export function toleranceOf(meant: Meant): number {
  const { stated } = meant;
  // A tolerance counts in relation to the figure, too, where that is above 1.
  return isCount(meant)
    ? 0
    : Math.max(1e-9, halfDigit(stated, isPercent(meant)) / Math.max(1, Math.abs(stated)));
}

/** Half of the last digit of a rounded figure; 0 for a whole number that is no percentage. */
export function halfDigit(stated: number, inPercent: boolean): number {
  const digits = /\.(\d+)$/.exec(String(stated))?.[1]?.length ?? 0;
  return digits === 0 && !inPercent ? 0 : 0.5 * 10 ** -digits;
}
