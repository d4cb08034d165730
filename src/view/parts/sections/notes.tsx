import type { VNode } from "preact";
import type { Answers } from "../../answers.ts";
import { notesOf } from "../../model/notes.ts";
import { countText } from "../../words/figures.ts";
import { Section } from "../section.tsx";
import { SentenceText } from "../name.tsx";

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
