import { QUOTED } from "../../../model/name-text.ts";
import type { VNode } from "preact";
import type { Answers } from "../../model/answers.ts";
import { pageNames } from "../../model/page-names.ts";
import { countText } from "../../../words/figures.ts";
import { Section } from "../section.tsx";
import { SentenceText } from "../name.tsx";
import { largestShare, skewNote } from "../../../respond/summary/skew.ts";
import { evaluationLabels } from "../../../model/labels.ts";
import { scoreKey } from "../../../words/score.ts";
import { listed, say, type Name, type Sentence } from "../../../words/sentence.ts";

/** The remarks of the library on the comparison; nothing where it has none. */
export function NotesPart({ answers }: { readonly answers: Answers }): VNode | null {
  const notes = notesOf(answers);
  if (notes.length === 0) return null;
  return (
    <Section kind="notes" title="Notes">
      <details>
        <summary>{notes.length === 1 ? "1 note" : `${countText(notes.length)} notes`}</summary>
        <ul>
          {notes.map((sentence, i) => (
            <li key={i}>
              <SentenceText sentence={sentence} />
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}

/**
 * The notes of the summary and the warnings of the comparison as sentences, with names in the place of ids. Those that
 * say the same of several evaluations are one.
 */
function notesOf(answers: Answers): Sentence[] {
  const { comparison, evaluations, summary } = answers;
  const labels = evaluationLabels(evaluations);
  const names = new Map(
    pageNames(answers).flatMap((name) =>
      [name.id, labels.get(name.id) ?? name.id].map((text) => [JSON.stringify(text), name] as const),
    ),
  );
  const notes = new Map<
    string,
    { readonly about: Name[]; readonly before: string; readonly after: string }
  >();
  const texts = [...(summary.notes ?? []), ...(comparison?.warnings ?? []), ...skewNotes(summary)];
  for (const warning of new Set(texts)) {
    const { name, before, after } = splitAtName(warning, names);
    const key = JSON.stringify([before, after]);
    const note = notes.get(key) ?? { about: [], before, after };
    if (name !== null) note.about.push(name);
    notes.set(key, note);
  }
  return [...notes.values()].map(({ about, before, after }) =>
    about.length === 0 ? [before] : say`${before}${listed(about.map((name) => [name]))}${after}`,
  );
}

/** Names means whose interval one row alone decides. */
function skewNotes({ evaluations }: Answers["summary"]): string[] {
  return evaluations.flatMap(({ evaluation_call_id: id, scorer_stats: all }) =>
    all.flatMap((stats) => {
      const share = largestShare(stats);
      return share === null ? [] : [`${JSON.stringify(id)}, ${skewNote(scoreKey(stats), share, stats)}`];
    }),
  );
}

/** A warning around the first evaluation that it names, in quotes. */
function splitAtName(warning: string, names: ReadonlyMap<string, Name>) {
  for (const { 0: quoted, index } of warning.matchAll(QUOTED)) {
    const name = names.get(quoted);
    if (name !== undefined)
      return { name, before: warning.slice(0, index), after: warning.slice(index + quoted.length) };
  }
  return { name: null, before: warning, after: "" };
}
