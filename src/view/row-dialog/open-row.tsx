import type { VNode } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import type { RowList, RowSource } from "../rows/row-source.ts";
import { RowDialog } from "./row-dialog.tsx";
import type { ChangeRows, PageRows } from "../row-parts/rows-state.ts";
import { useKeys } from "../row-parts/use-keys.ts";
import { useAsked } from "../row-parts/use-asked.ts";

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

/** The dialog of the open row, with the ways to its neighbours. */
export function OpenRow(props: OpenRowProps): VNode {
  const { digest, source, columns, state, change, marking, setMarking, arrived, closed, lost } = props;
  const list = props.asked.answer;
  const ask = source === null ? null : (signal: AbortSignal) => source.detail(digest, signal);
  const asked = useAsked(ask, [source, digest]);
  const place = list?.placeOf(digest) ?? null;
  useLayoutEffect(() => {
    if (place !== null) arrived(place);
  }, [place]);
  useLayoutEffect(() => closed, []);
  const { answer, asking, error } = asked;
  useEffect(() => {
    if (source !== null && !asking && answer === null && error === null) lost({ source, digest });
  }, [source, digest, asking, answer, error]);
  const next = stepTo(list, place, 1, change);
  const previous = stepTo(list, place, -1, change);
  useKeys({ n: next, p: previous });
  return (
    <RowDialog
      {...{ digest, asked, columns, place, marking, setMarking, next, previous }}
      with={state.with}
      chooseWith={(ids) => change({ with: ids })}
      close={() => change({ row: null })}
    />
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
    if (line !== undefined) change({ row: line.digest });
  };
  return () => void go();
}
