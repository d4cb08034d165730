import type { VNode } from "preact";
import { errorsOf, missingOf, type Missing, type ShownError } from "../../model/missing.ts";
import type { Shown } from "../../model/shown.ts";
import { countText } from "../../../words/figures.ts";
import { Name } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Section } from "../section.tsx";
import { figures, names, rowButtons, Table } from "../table.tsx";

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
          Every trial of every evaluation has a value in <Name text={shown.score.name} />.
        </p>
      ) : (
        <Table
          label="Missing and failed trials"
          columns={[
            names(({ one }: Missing) => one.name),
            ...COUNTS.map(([member, head]) => figures((line: Missing) => countText(line[member]), head)),
          ]}
          lines={missing}
        />
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

/** What trials and scorers failed with, the most frequent first; nothing where none did. */
function ErrorsTable({ shown, latest }: MissingProps): VNode | null {
  const { errors, left } = errorsOf(shown);
  if (errors.length === 0) return null;
  const add = latest.current?.view?.addFilters;
  const press = ({ filter }: ShownError) => (filter === null ? null : () => add?.([filter]));
  return (
    <>
      <Table
        label="Errors"
        columns={[
          { head: "Error", kind: "error-text", cell: ({ text }) => <Name text={text} /> },
          { head: "Kind", cell: ({ kind }) => kind },
          { head: "Evaluation", cell: ({ name }) => <Name {...name} /> },
          figures(({ count }: ShownError) => countText(count), "Trials"),
          ...rowButtons(add && press, (error) => `error ${errors.indexOf(error) + 1}`),
        ]}
        lines={errors}
      />
      {left === 0 ? null : <p class="hint">{countText(left)} more errors of other texts.</p>}
    </>
  );
}
