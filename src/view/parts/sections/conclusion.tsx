import type { VNode } from "preact";
import { conclusionOf, type Shown } from "../../model/shown.ts";
import { Glyph } from "../../plots/glyph.tsx";
import { toneOf } from "../../words/standings.ts";
import { Section } from "../section.tsx";
import { SentenceText } from "../name.tsx";

/** What the answers say, before any table. */
export function ConclusionPart({ shown }: { readonly shown: Shown }): VNode {
  const { headline, sentences } = conclusionOf(shown);
  return (
    <Section kind="conclusion" title="Conclusion">
      <p class="headline">
        <SentenceText sentence={headline} />
      </p>
      {sentences.length === 0 ? null : (
        <ul>
          {sentences.map(({ standing, mark, sentence }, i) => (
            <li key={i} class={standing === null ? "neutral" : toneOf(standing, shown.score)}>
              <Glyph mark={mark} />
              <span>
                <SentenceText sentence={sentence} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
