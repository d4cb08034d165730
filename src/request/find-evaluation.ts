import { grouped } from "../model/grouped.ts";
import { firstAndMore } from "../model/messages.ts";
import { evaluationLabels, labelledBy, type Labelled } from "../model/labels.ts";
import { didYouMean, nearestWords } from "../model/nearest.ts";
import { oneLine } from "../model/plain-line.ts";
import { modelName } from "../model/references.ts";
import { nameText, quotedName } from "../model/name-text.ts";

/** An evaluation that a text stands for. `note`: which one it is, where the text alone does not tell. */
interface Found {
  readonly id: string;
  readonly note: string | null;
}

/** Why a text stands for none; `unknown` where it is of none of the forms, so that it may be an id that comes later. */
interface NotFound {
  readonly fault: string;
  readonly unknown: boolean;
}

/** Stands for the run before of the same name. */
export const PREVIOUS = "previous";

const MOST_NAMED = 5;
/** Words of a name that are looked at. */
const MOST_WORDS = 12;

/**
 * Finds the evaluation that a text stands for: an id, a display name (its latest), `latest`, `latest~N`, `NAME~N` (N
 * runs before the latest of that name), `model:NAME`, `model:NAME~N`, a label, or a part that an import prints: the
 * text in brackets at the end of a name, or what the file is called (the latest). An id comes first, then a whole name,
 * last what names and labels look like where they are printed on one line.
 *
 * @param list The evaluations of the project, by start, then id; those without a start count as the earliest.
 */
export function findEvaluation(text: string, list: readonly Labelled[]): Found | NotFound {
  const found = find(text, list);
  if ("id" in found || !found.unknown) return found;
  const { printed } = indexOf(list);
  return printed === null ? found : find(text, printed);
}

interface Index {
  readonly ids: ReadonlySet<string>;
  readonly named: ReadonlyMap<string | null, readonly Labelled[]>;
  /** By their parts. */
  readonly parts: ReadonlyMap<string, readonly Labelled[]>;
  /** With the names as they are printed; null where those are the same. */
  readonly printed: readonly Labelled[] | null;
}

/** A request may name thousands, of thousands that there are. */
const indexes = new WeakMap<readonly Labelled[], Index>();

function indexOf(list: readonly Labelled[]): Index {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const made = {
    ids: new Set(list.map(({ id }) => id)),
    named: grouped(list, ({ display_name: name }) => name),
    parts: byParts(list),
    printed: list.every((one) => lineOf(one) === one.display_name)
      ? null
      : list.map((one) => ({ ...one, display_name: lineOf(one) })),
  };
  indexes.set(list, made);
  return made;
}

function byParts(list: readonly Labelled[]): ReadonlyMap<string, readonly Labelled[]> {
  const parts = list.flatMap((one) => Array.from(partsOf(one), (part) => ({ part, one })));
  const groups = grouped(parts, ({ part }) => part);
  return new Map([...groups].map(([part, found]) => [part, found.map(({ one }) => one)]));
}

/**
 * What the file of an evaluation is called, and what stands in brackets at the end of its name: ` [guided] (after)`.
 */
function partsOf({ display_name: name, file = null }: Labelled): ReadonlySet<string> {
  const parts = new Set(file === null ? [] : [file]);
  let rest = name ?? "";
  for (const [open, close] of [
    [" (", ")"],
    [" [", "]"],
  ] as const) {
    const at = rest.endsWith(close) ? rest.lastIndexOf(open) : -1;
    if (at < 0) continue;
    const part = rest.slice(at + open.length, -close.length);
    if (close === "]" || !/^\d*$/.test(part)) parts.add(part);
    rest = rest.slice(0, at);
  }
  return parts;
}

function lineOf({ display_name: name }: Labelled): string | null {
  return name === null ? null : oneLine(name);
}

function find(text: string, list: readonly Labelled[]): Found | NotFound {
  const index = indexOf(list);
  if (index.ids.has(text)) return { id: text, note: null };
  const named = inOrder(index.named.get(text) ?? []);
  if (named.length > 0) return latestOf(text, named, index.parts.get(text));
  const before = text.endsWith(")")
    ? Array.from(text.matchAll(/ \(/g), (mark) => text.slice(0, mark.index))
    : [];
  const labelled = labelledBy(
    text,
    before.flatMap((name) => index.named.get(name) ?? []),
  );
  if (labelled.length > 1)
    return refused(
      `${JSON.stringify(text)} stands for ${several(labelled, evaluationLabels(list))}; give the id of one`,
    );
  const pointed = labelled[0] ?? pointedAt(text, list);
  if (pointed !== null) return "id" in pointed ? { id: pointed.id, note: null } : pointed;
  const ofPart = inOrder(index.parts.get(text) ?? []);
  return ofPart.length > 0 ? latestOf(text, ofPart) : unknown(text, list);
}

/** The evaluations that a name stands for, where it stands for several; with labels and ids. */
export function namesakesOf(text: string, list: readonly Labelled[]): string | null {
  if (list.some(({ id }) => id === text)) return null;
  const whole = list.filter(({ display_name: name }) => name === text);
  const lined = whole.length > 0 ? whole : list.filter((one) => lineOf(one) === text);
  const named = lined.length > 0 ? lined : (indexOf(list).parts.get(text) ?? []);
  const labels = evaluationLabels(named);
  const lines = named.map(({ id }) => `${labels.get(id) ?? id} is ${id}`);
  return named.length < 2
    ? null
    : `${JSON.stringify(text)} stands for ${lines.length} evaluations: ${lines.join(", ")}`;
}

/** `alike`: evaluations of which a part is the name. */
function latestOf(text: string, named: readonly Labelled[], alike: readonly Labelled[] = []): Found {
  const { id = "" } = named.at(-1) ?? {};
  const labels = evaluationLabels([...named, ...alike]);
  const others = alike.filter((one) => !named.includes(one));
  if (named.length > 1)
    return { id, note: `${text} is ${labels.get(id) ?? id}, the latest of ${named.length}` };
  const said = `${text} is the evaluation of this name; it may also mean ${several(others, labels)}`;
  return { id, note: others.length === 0 ? null : said };
}

function inOrder(list: readonly Labelled[]): Labelled[] {
  return [...list.filter((one) => one.started_at === null), ...list.filter((one) => one.started_at !== null)];
}

/** What `latest`, `model:` and `~` find; null for other texts. */
function pointedAt(text: string, list: readonly Labelled[]): Labelled | NotFound | null {
  const [, name = text, back = "0"] = /^(.+)~(\d{1,9})$/s.exec(text) ?? [];
  const before = Number(back);
  const { named: names, parts } = indexOf(list);
  const named = inOrder(names.get(name) ?? parts.get(name) ?? []);
  if (name !== "latest" && !text.startsWith("model:")) {
    if (name === text || named.length === 0) return null;
    return named.at(-1 - before) ?? tooFar(text, `${name} has ${evaluations(named.length)}`);
  }
  const started = list.filter((one) => one.started_at !== null);
  if (name === "latest")
    return (
      started.at(-1 - before) ?? tooFar(text, `the project has ${evaluations(started.length)} with a start`)
    );
  const ofModel = (model: string) =>
    started.filter(({ model_ref: ref }) => ref !== null && (ref === model || modelName(ref) === model));
  const whole = ofModel(text.slice("model:".length));
  const model = name.slice("model:".length);
  const runs = ofModel(model);
  return whole.at(-1) ?? runs.at(-1 - before) ?? noModel(model, runs.length, started);
}

function noModel(model: string, runs: number, started: readonly Labelled[]): NotFound {
  if (runs > 0) return refused(`the model ${JSON.stringify(model)} has ${evaluations(runs)} with a start`);
  const names = new Set(started.flatMap(({ model_ref: ref }) => (ref === null ? [] : [modelName(ref)])));
  const known =
    names.size === 0
      ? "none names its model"
      : `their models are ${firstAndMore(
          [...names].map((one) => nameText(one)),
          MOST_NAMED,
        )}`;
  return refused(
    `no evaluation with a start is of the model ${JSON.stringify(model)}${didYouMean(model, names) || `; ${known}`}`,
  );
}

/** Near names are looked for where the fault is told. */
function unknown(text: string, list: readonly Labelled[]): NotFound {
  return {
    get fault() {
      return `evaluation ${JSON.stringify(text)} is not in this project${nearTo(text, list)}`;
    },
    unknown: true,
  };
}

function nearTo(text: string, list: readonly Labelled[]): string {
  const [, asked = text, back = ""] = /^(.+?)(~\d{1,9})?$/s.exec(text) ?? [];
  const names = new Set(list.flatMap(({ display_name: name, file }) => [name ?? [], file ?? []].flat()));
  const found = nearestNames(asked, [...names, "latest"]).map((name) => name + back);
  const near = found.length > 0 ? found : nearestWords(text, evaluationLabels(list).values());
  const [first, ...others] = near.slice(0, MOST_NAMED);
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : ` Near it too: ${others.map((one) => nameText(one)).join(", ")}`;
  return `; did you mean ${quotedName(first)}?${more}`;
}

/** Names that a misspelt one may stand for: the whole of them, some of their words, or what they contain. */
function nearestNames(text: string, names: readonly string[]): string[] {
  const length = text.split(/\s+/).length;
  const parts = new Map<string, string[]>();
  for (const name of names) {
    const words = name.split(/\s+/).slice(0, MOST_WORDS);
    for (let i = 0; i + length <= words.length; i++) {
      const part = words.slice(i, i + length).join(" ");
      parts.set(part, [...(parts.get(part) ?? []), name].slice(0, MOST_NAMED));
    }
  }
  const longer = names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  const ofParts = nearestWords(text, parts.keys()).flatMap((part) => parts.get(part) ?? []);
  return [...new Set([...nearestWords(text, names), ...longer, ...ofParts])];
}

function tooFar(text: string, known: string): NotFound {
  return refused(`there is no ${text}: ${known}`);
}

function refused(fault: string): NotFound {
  return { fault, unknown: false };
}

function several(found: readonly Labelled[], labels: ReadonlyMap<string, string>): string {
  const lines = found.map(({ id }) => {
    const label = labels.get(id) ?? id;
    return label === id ? nameText(id) : `${nameText(label)} (${nameText(id)})`;
  });
  return `${evaluations(found.length)}: ${firstAndMore(lines, MOST_NAMED)}`;
}

function evaluations(count: number): string {
  return count === 1 ? "1 evaluation" : `${count} evaluations`;
}
