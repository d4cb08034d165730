import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { bracketed, framed } from "../parts/name.tsx";
import { inputText } from "../rows/input-line.ts";
import type { RowDetail } from "../rows/row-source.ts";
import { Failure } from "../row-parts/failure.tsx";
import { Modal } from "../row-parts/modal.tsx";
import { cutText } from "../words/cut-text.ts";
import { countText } from "../words/figures.ts";
import { RowComparison, type RowComparisonProps } from "./row-comparison.tsx";
import type { Asked } from "../row-parts/use-asked.ts";

interface RowDialogProps extends Omit<RowComparisonProps, "detail"> {
  readonly digest: string;
  readonly asked: Asked<RowDetail | null>;
  /** Its place among the rows that are shown; null where it is not known. */
  readonly place: number | null;
  /** Undefined where there is no such row, or its place is not known. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
  readonly close: () => void;
}

const LONGEST_TITLE = 120;

/** One row: its input, and what two or three evaluations answered. */
export function RowDialog(props: RowDialogProps): VNode {
  const { digest, asked, place, next, previous, close } = props;
  const text = asked.answer?.digest === digest ? inputText(asked.answer.input) : null;
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => body.current?.scrollTo({ top: 0 }), [digest]);
  return (
    <Modal close={close} labelledBy="evalcube-row-title">
      <div class="dialog-head">
        <h2 id="evalcube-row-title" title={bracketed(digest)}>
          {place === null ? "Row: " : `Row ${countText(place + 1)}: `}
          <bdi>{framed(cutText(text ?? digest.slice(0, 12), LONGEST_TITLE))}</bdi>
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
      <div class="dialog-body" ref={body} tabIndex={-1}>
        <DialogBody {...props} />
      </div>
    </Modal>
  );
}

function DialogBody({ asked, digest, ...props }: RowDialogProps): VNode {
  const { answer, asking, error, again } = asked;
  if (error !== null) return <Failure error={error} again={again} />;
  if (answer === null || answer.digest !== digest)
    return <p class="hint">{asking ? "Reading the row." : "There is no such row here."}</p>;
  return <RowComparison key={digest} detail={answer} {...props} />;
}
