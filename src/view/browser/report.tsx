import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Answers } from "../model/answers.ts";
import { Page } from "../page/page.tsx";
import { RowsNeedScripts } from "../parts/section.tsx";
import { once } from "../payload/once.ts";
import { readPacked, type PackedRows } from "../payload/packed-rows.ts";
import { readPackedSteps } from "../payload/packed-steps.ts";
import { Failure } from "../row-parts/failure.tsx";
import { RowsSection } from "../row-table/rows-section.tsx";
import { fixedMembers, usePageRows } from "./columns.ts";
import { useAsked } from "../row-parts/use-asked.ts";
import { nextTurn } from "../rows/input-line.ts";
import { reportRows } from "../rows/report-rows.ts";
import { RowsNotes } from "./rows-notes.tsx";
import { actionsOf, useAddress } from "./use-address.ts";

interface ReportProps {
  readonly answers: Answers;
  /** The text of `packRows`; empty where there are no rows. */
  readonly rows: string;
  /** The text of `packSteps`; empty where there are none. */
  readonly steps: string;
}

/** The page of a report file, once scripts run. */
export function Report({ answers, rows, steps }: ReportProps): VNode {
  const used = useAddress();
  const { address, unknown, change } = used;
  const { answer: packed, error, again } = useAsked(rows === "" ? null : () => unpacked(rows), [rows]);
  const source = useMemo(
    () =>
      packed === null
        ? null
        : reportRows(
            packed,
            once(() => readPackedSteps(steps)),
          ),
    [packed],
  );
  // First what the static page has: a script takes over the elements, but does not change their attributes.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const known = { ...address, score: ready ? address.score : null };
  const { score, unknown: lost, rows: shown } = usePageRows(source, answers, { address: known, change });
  return (
    <Page
      answers={answers}
      score={score?.key ?? null}
      actions={ready ? actionsOf(used) : undefined}
      rows={
        packed === null && error === null ? (
          <RowsNeedScripts />
        ) : (
          <RowsSection rows={shown}>
            {error === null ? null : <Failure error={error} again={again} />}
            <RowsNotes
              left={packed?.left ?? null}
              fixed={fixedMembers(address, answers)}
              unknown={[...unknown, ...lost]}
            />
          </RowsSection>
        )
      }
    />
  );
}

/** Unpacks the rows after the page has been drawn. */
async function unpacked(text: string): Promise<PackedRows> {
  await nextTurn();
  try {
    return await readPacked(text);
  } catch (error) {
    throw new Error(`The rows of this report cannot be read: ${String(error)}`, { cause: error });
  }
}
