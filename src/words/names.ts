import { evaluationLabels, type Labelled } from "../model/labels.ts";
import { grouped } from "../model/grouped.ts";
import { cutMiddle, startOf } from "./cut-text.ts";
import type { Name } from "./sentence.ts";

/** What an evaluation is called. */
export interface EvaluationName extends Name {
  readonly id: string;
}

/** What it is called on a page. */
export interface PageName extends EvaluationName {
  /** The text where the room is short: its middle gives way. */
  readonly short: string;
}

/**
 * Names for a page that shows these evaluations, in their order: labels, of names without the words that end all of
 * them.
 */
export function evaluationNames(evaluations: readonly Labelled[]): PageName[] {
  const ended = withoutEnding(evaluations);
  const labels = evaluationLabels(ended);
  const parts = ended.map(({ id, display_name: name }) => partsOf(labels.get(id) ?? id, name ?? ""));
  const [texts, short] = [LONGEST, SHORT].map((longest) => shortTexts(parts, longest));
  return evaluations.map(({ id, display_name: name }, i) => {
    const called = name !== null && name.trim() !== "";
    return { id, text: texts?.[i] ?? id, short: short?.[i] ?? id, full: called ? `${name} (${id})` : id };
  });
}

/** A label as a name and what tells it from others of that name, such as ` (12:04)`. */
interface LabelParts {
  readonly name: string;
  readonly mark: string;
}

function partsOf(label: string, name: string): LabelParts {
  if (name === "" || !label.startsWith(`${name} (`)) return { name: label, mark: "" };
  return { name, mark: label.slice(name.length) };
}

/** Characters of any text, of a short one, and those of a name before a mark. */
const LONGEST = 300;
const SHORT = 28;
const LEAST = 8;

/** Names for where the room is short. */
export function shortNames(names: readonly string[]): string[] {
  return shortTexts(
    names.map((name) => ({ name, mark: "" })),
    SHORT,
  );
}

/** Labels whose names give way in their middle; none of them look alike. */
function shortTexts(parts: readonly LabelParts[], longest: number): string[] {
  const cut = parts.map(({ name, mark }) => cutMiddle(name, Math.max(LEAST, longest - mark.length)) + mark);
  const texts = [...cut];
  for (const places of grouped(cut.keys(), (i) => cut[i] ?? "").values()) {
    if (places.length < 2) continue;
    const names = places.map((i) => parts[i]?.name ?? "");
    for (const i of places) texts[i] = cutAround(parts[i], commonStart(names));
  }
  const uses = grouped(texts, (text) => text);
  return parts.map(({ name, mark }, i) => {
    const text = texts[i] ?? "";
    return uses.get(text)?.length === 1 ? text : name + mark;
  });
}

/** How a name begins and ends, and what is from the first character on that differs. */
function cutAround(part: LabelParts | undefined, differs: number): string {
  const { name = "", mark = "" } = part ?? {};
  const middle = name
    .slice(differs - 2, differs + LEAST)
    .replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${startOf(name, LEAST)}…${middle}…${name.slice(-2).replace(/^[\udc00-\udfff]/, "")}${mark}`;
}

function commonStart([first = "", ...others]: readonly string[]): number {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return length;
}

/** The same, but that names lack the words that end all of them. */
function withoutEnding(evaluations: readonly Labelled[]): readonly Labelled[] {
  const cut = cutEndings(evaluations.map(({ display_name: name }) => name ?? ""));
  return evaluations.map((one) => ({
    ...one,
    display_name: cut.get(one.display_name ?? "") ?? one.display_name,
  }));
}

/** Names without the words that end all of them; as they are where two would be alike or one empty. */
export function cutEndings(all: readonly string[]): ReadonlyMap<string, string> {
  const names = [...new Set(all)];
  const whole = new Map(names.map((name) => [name, name]));
  if (names.length < 2 || names.some((name) => name.trim() === "")) return whole;
  const length = commonEnding(names);
  const cut = new Map(names.map((name) => [name, name.slice(0, name.length - length).trimEnd()]));
  return new Set([...cut.values(), ""]).size <= names.length ? whole : cut;
}

/** How many characters end all names, from a space on. */
function commonEnding([first = "", ...others]: readonly string[]): number {
  let common = first;
  for (const other of others) while (!other.endsWith(common)) common = common.slice(1);
  const space = common.indexOf(" ");
  return space === -1 ? 0 : common.length - space;
}
