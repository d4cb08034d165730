import { shellWord } from "../../../model/messages.ts";
import { SourceFault } from "../../read/fault.ts";
import { TRUTH_WORDS } from "./cell-words.ts";
import { TEXT_SHOWN, type ColumnFacts, type PlacedCell } from "./column-types.ts";
import { readWritten, valueOfWritten, type DecimalSign, type NumberForm } from "./written-numbers.ts";
import { ambiguous } from "./given-texts.ts";

/** A column of scores or of another measure, and how its numbers are read. */
export interface ScoreColumn {
  readonly name: string;
  readonly facts: ColumnFacts;
  readonly decimal: DecimalSign;
}

/**
 * Says how the numbers of columns are read. `preset` is what the caller says; `delimiter` that of a CSV file. Throws
 * {@link SourceFault} where a number may be two things.
 */
export function scoreColumns(
  columns: readonly Omit<ScoreColumn, "decimal">[],
  preset: DecimalSign | undefined,
  delimiter: string | undefined,
): ScoreColumn[] {
  const has = (...forms: readonly ("comma" | "dots" | "thousands")[]) =>
    columns.some(({ facts }) => forms.some((form) => facts.forms.has(form)));
  const others =
    has("comma", "dots") === has("thousands") ? null : has("thousands") ? "point" : ("comma" as const);
  return columns.map(({ name, facts }) => {
    if (facts.percent !== null && facts.above1 !== null)
      throw twoKinds(
        name,
        facts.percent,
        facts.above1,
        "some numbers are in percent and others, above 1, are not",
      );
    const [one, other] = facts.currencies.values();
    if (one !== undefined && other !== undefined)
      throw twoKinds(name, one, other, "numbers are in two currencies");
    return {
      name,
      facts,
      decimal: decimalOf(name, facts, preset, others, delimiter === ";"),
    };
  });
}

function decimalOf(
  name: string,
  { forms }: ColumnFacts,
  preset: DecimalSign | undefined,
  others: DecimalSign | null,
  hasSemicolons: boolean,
): DecimalSign {
  const comma = forms.get("comma") ?? forms.get("dots");
  const clear = forms.get("point") ?? forms.get("thousands");
  const point = clear ?? forms.get("grouped");
  const unclear = forms.get("unclear");
  if (comma === undefined && unclear === undefined) {
    if (clear !== undefined) return forms.has("thousands") ? (preset ?? "point") : "point";
    return point === undefined ? "point" : (preset ?? others ?? "point");
  }
  if (preset !== undefined) return preset;
  if (comma !== undefined && point !== undefined)
    throw ambiguous(
      `${name} has ${quoted(comma)} and ${quoted(point)}: --decimal comma or --decimal point says which sign is the decimal one`,
    );
  if (comma !== undefined) return "comma";
  if (point !== undefined) return "point";
  if (others !== null || unclear === undefined || hasSemicolons) return others ?? "comma";
  throw new SourceFault(
    "ambiguous_mapping",
    unclear.place,
    `${name} has ${JSON.stringify(unclear.text)}, which may be ${unclear.text.replace(",", "")} or ${unclear.text.replace(",", ".")}: --decimal point or --decimal comma says which`,
  );
}

function quoted({ place, text }: PlacedCell): string {
  return `${JSON.stringify(text)} at ${place}`;
}

function twoKinds(name: string, one: PlacedCell, other: PlacedCell, reason: string): SourceFault {
  return new SourceFault("invalid", null, `${name} has ${quoted(one)} and ${quoted(other)}: ${reason}`);
}

/** What was done to read the column, and what gives no value; `records` is how many the table has. */
export function scoreNotes({ name, facts, decimal }: ScoreColumn, records: number): string[] {
  const { type, counts, others, notAvailable } = facts;
  const notes: string[] = [];
  const say = (isSo: boolean, text: string) => isSo && notes.push(`${name}: ${text}`);
  const isNumber = type === "number";
  const odd =
    counts.text +
    counts.object +
    (facts.hasShares ? 0 : counts.share) +
    (type === "boolean" ? counts.number : counts.word + counts.verdict + counts.letter + counts.undecided);
  const beside = type === "boolean" ? "another value" : "a text";
  say(notAvailable > 0, `${notAvailable} cells such as NA count as empty`);
  if (facts.trueValue !== undefined)
    return [...notes, `${name}: ${facts.trueValue} is true, and any other text false`];
  if (isNumber || type === "boolean")
    say(
      odd > 0,
      `${odd} of ${records} records have ${beside} and no value: ${listed(others)}${odd > others.length ? ", …" : ""}`,
    );
  say(
    isNumber && counts.boolean > 0,
    `${counts.boolean} of ${records} records have true or false, which count as 1 and 0`,
  );
  if (isNumber) for (const text of formNotes(facts, decimal)) say(true, text);
  const numbers = counts.number + counts.boolean + counts.word;
  const became =
    numbers === 0 ? "" : `; ${numbers} of its values are numbers or truth values, which became texts`;
  if (type === "text")
    say(true, `${labelsOf(name, facts) ?? "its values are texts, of which nothing is computed"}${became}`);
  return notes;
}

/**
 * The few values of a score of texts with their counts, and the flag that makes a rate of one; null where there are
 * many.
 */
function labelsOf(name: string, { labels, longest, counts }: ColumnFacts): string | null {
  if (labels === null || labels.size === 0 || longest >= TEXT_SHOWN || counts.number > 0) return null;
  const byCount = [...labels].toSorted(([, a], [, b]) => b - a);
  const truth = byCount.find(([label]) => TRUTH_WORDS.get(label.toLowerCase())?.value === true) ?? byCount[0];
  const said = byCount.map(([label, count]) => `${label} ${count}`).join(", ");
  return `${said}: texts, of which nothing is computed; --true-value ${shellWord(`${name}=${truth?.[0] ?? ""}`)} makes them true and false`;
}

/** How the numbers of a column are read. */
function* formNotes(
  { percent, scales, currencies, forms }: ColumnFacts,
  decimal: DecimalSign,
): Generator<string> {
  const firstOf = (...some: readonly NumberForm[]) => some.flatMap((form) => forms.get(form) ?? []);
  if (percent !== null) yield `numbers in percent are shares: ${valueText(percent, decimal)}`;
  for (const cell of firstOf("share")) yield `parts of a whole are shares: ${valueText(cell, decimal)}`;
  for (const cell of firstOf("stars")) yield `stars are counted: ${valueText(cell, decimal)}`;
  if (scales !== null)
    yield `has ${scales.map(quoted).join(" and ")}: if one is in percent, the mean is of neither`;
  if (currencies.size > 0) yield `the currency is left out: ${[...currencies.keys()].join(", ")}`;
  for (const cell of firstOf("marked"))
    yield `blanks and apostrophes within numbers are left out: ${quoted(cell)}`;
  const telling: readonly NumberForm[] = ["comma", "dots", "thousands", "unclear"];
  const [grouped] = firstOf(...telling, ...(decimal === "comma" ? (["grouped"] as const) : []));
  if (grouped !== undefined) yield `the decimal sign is the ${decimal}: ${quoted(grouped)}`;
  const misfit = decimal === "comma" ? firstOf("thousands", "point") : firstOf("comma", "dots");
  if (misfit.length > 0)
    yield `numbers such as ${misfit.map(quoted).join(", ")} are not written so, and may have no value`;
}

function valueText({ text }: PlacedCell, decimal: DecimalSign): string {
  const written = readWritten(text);
  return written === null ? "" : `${text} is ${valueOfWritten(written, decimal)}`;
}

function listed(cells: readonly PlacedCell[]): string {
  return cells.map(({ place, text }) => `${place} ${JSON.stringify(text)}`).join(", ");
}
