import type { VNode } from "preact";
import { errorsOf, missingOf, type Missing, type ShownError } from "../../model/missing.ts";
import type { Shown } from "../../model/shown.ts";
import { countText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import type { LatestActions, PageActions } from "../page-actions.ts";
import { RowsHead, Section, Wide } from "../section.tsx";

interface MissingProps {
  readonly shown: Shown;
  readonly latest: LatestActions;
}

/** What is missing from the figures of a score. */
export function MissingPart({ shown, latest }: MissingProps): VNode {
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
      <ErrorsTable shown={shown} latest={latest} />
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

/** What trials and scorers failed with, the most frequent first; nothing where none did. */
function ErrorsTable({ shown, latest }: MissingProps): VNode | null {
  const { errors, left } = errorsOf(shown);
  if (errors.length === 0) return null;
  const addFilters = latest.current?.addFilters;
  return (
    <>
      <Wide label="Errors">
        <table aria-label="Errors">
          <thead>
            <tr>
              <th scope="col">Error</th>
              <th scope="col">Kind</th>
              <th scope="col">Evaluation</th>
              <th scope="col" class="figure">
                Trials
              </th>
              {addFilters === undefined ? null : <RowsHead />}
            </tr>
          </thead>
          <tbody>
            {errors.map((error, i) => (
              <ErrorLine key={i} error={error} place={i + 1} addFilters={addFilters} />
            ))}
          </tbody>
        </table>
      </Wide>
      {left === 0 ? null : <p class="hint">{countText(left)} more errors of other texts.</p>}
    </>
  );
}

interface ErrorLineProps {
  readonly error: ShownError;
  readonly place: number;
  readonly addFilters: PageActions["addFilters"];
}

function ErrorLine({ error, place, addFilters }: ErrorLineProps): VNode {
  const { text, kind, name, count, filter } = error;
  return (
    <tr>
      <th scope="row" class="error-text">
        <Name text={text} />
      </th>
      <td>{kind}</td>
      <td>
        <Name {...name} />
      </td>
      <td class="figure">{countText(count)}</td>
      {addFilters === undefined ? null : (
        <td>
          {filter === null ? null : (
            <button type="button" class="small" onClick={() => addFilters([filter])}>
              Show rows of error {place}
            </button>
          )}
        </td>
      )}
    </tr>
  );
}
