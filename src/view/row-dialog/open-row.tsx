import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { bracketed, framed } from "../parts/name.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { Modal, useKeys } from "../row-parts/modal.tsx";
import type { ChangeRows, PageRows } from "../row-parts/rows-state.ts";
import { useAsked } from "../row-parts/use-asked.ts";
import { inputText } from "../rows/input-line.ts";
import type { RowList, RowSource } from "../rows/row-source.ts";
import { cutText } from "../../words/cut-text.ts";
import { countText } from "../../words/figures.ts";
import { RowComparison } from "./row-comparison.tsx";

interface OpenRowProps extends PageRows {
  readonly digest: string;
  readonly marking: boolean;
  readonly setMarking: (marking: boolean) => void;
  /** Told the place of the open row. */
  readonly arrived: (place: number) => void;
  readonly closed: () => void;
  /** Told that the source does not have the row. */
  readonly lost: (row: { readonly source: RowSource; readonly digest: string }) => void;
}

const LONGEST_TITLE = 120;

/** The dialog of the open row: its input, what two or three evaluations answered, and the ways to its neighbours. */
export function OpenRow(props: OpenRowProps): VNode {
  const { digest, source, columns, state, change, marking, setMarking, arrived, closed, lost } = props;
  const list = props.asked.answer;
  const ask = source === null ? null : (signal: AbortSignal) => source.detail(digest, signal);
  const { answer, asking, error, again } = useAsked(ask, [source, digest]);
  const place = list?.placeOf(digest) ?? null;
  useLayoutEffect(() => {
    if (place !== null) arrived(place);
  }, [place]);
  useLayoutEffect(() => closed, []);
  useEffect(() => {
    if (source !== null && !asking && answer === null && error === null) lost({ source, digest });
  }, [source, digest, asking, answer, error]);
  const next = stepTo(list, place, 1, change);
  const previous = stepTo(list, place, -1, change);
  useKeys({ n: next, p: previous });
  const close = () => change({ row: null, attempts: [] });
  const text = (answer?.digest === digest ? inputText(answer.input) : null) ?? digest.slice(0, 12);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => body.current?.scrollTo({ top: 0 }), [digest]);
  return (
    <Modal close={close} labelledBy="evalcube-row-title">
      <DialogHead {...{ title: { digest, place, text }, next, previous, close }} />
      <div class="dialog-body" ref={body} tabIndex={-1}>
        {error !== null ? (
          <Failure error={error} again={again} />
        ) : answer === null || answer.digest !== digest ? (
          <p class="hint">{asking ? "Reading the row." : "There is no such row here."}</p>
        ) : (
          <RowComparison
            key={digest}
            {...{ detail: answer, source, columns, marking, setMarking, with: state.with }}
            {...{ hasSteps: props.hasSteps, success: props.success, attempts: state.attempts }}
            {...choosing(change)}
          />
        )}
      </div>
    </Modal>
  );
}

function choosing(change: ChangeRows) {
  return {
    chooseWith: (ids: readonly string[]) => change({ with: ids }),
    chooseAttempts: (attempts: readonly string[]) => change({ attempts }, "push"),
  };
}

interface DialogHeadProps {
  readonly title: { readonly digest: string; readonly place: number | null; readonly text: string };
  /** Undefined where there is no such row, or its place is not known. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
  readonly close: () => void;
}

function DialogHead({ title, next, previous, close }: DialogHeadProps): VNode {
  return (
    <div class="dialog-head">
      <h2 id="evalcube-row-title" title={bracketed(title.digest)}>
        {title.place === null ? "Row: " : `Row ${countText(title.place + 1)}: `}
        <bdi>{framed(cutText(title.text, LONGEST_TITLE))}</bdi>
      </h2>
      <button type="button" disabled={previous === undefined} onClick={previous}>
        Previous row
      </button>
      <button type="button" disabled={next === undefined} onClick={next}>
        Next row
      </button>
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  );
}

function stepTo(
  list: RowList | null,
  place: number | null,
  by: 1 | -1,
  change: ChangeRows,
): (() => void) | undefined {
  if (list === null || place === null) return undefined;
  const wanted = place + by;
  if (wanted < 0 || wanted >= list.count) return undefined;
  const go = async () => {
    await list.need(wanted, wanted + 1, new AbortController().signal).catch(() => undefined);
    const line = list.at(wanted);
    if (line !== undefined) change({ row: line.digest, attempts: [] });
  };
  return () => void go();
}
