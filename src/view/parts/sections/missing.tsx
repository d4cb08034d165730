import type { VNode } from "preact";
import { missingOf, type Missing } from "../../model/missing.ts";
import type { Shown } from "../../model/shown.ts";
import { countText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Section, Wide } from "../section.tsx";

/** What is missing from the figures of a score. */
export function MissingPart({ shown }: { readonly shown: Shown }): VNode {
  const missing = missingOf(shown);
  return (
    <Section kind="missing" title="Missing and failed trials">
      {missing.length === 0 ? (
        <p>
          Every trial of every evaluation has a value in <Name text={shown.told.name} />.
        </p>
      ) : (
        <MissingTable missing={missing} />
      )}
    </Section>
  );
}

const COUNTS = [
  ["trials", "Trials"],
  ["withValue", "With a value"],
  ["failed", "Failed"],
  ["null", "Null"],
  ["nothing", "Nothing there"],
  ["rowsNotRun", "Rows not run"],
] as const;

function MissingTable({ missing }: { readonly missing: readonly Missing[] }): VNode {
  return (
    <Wide label="Missing and failed trials">
      <table aria-label="Missing and failed trials">
        <thead>
          <tr>
            <th scope="col">Evaluation</th>
            {COUNTS.map(([member, text]) => (
              <th key={member} scope="col" class="figure">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {missing.map(({ one, ...counts }) => (
            <tr key={one.name.id}>
              <th scope="row" class="name">
                <Name {...one.name} />
              </th>
              {COUNTS.map(([member]) => (
                <td key={member} class="figure">
                  {countText(counts[member])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
