import type { VNode } from "preact";
import { bracketed } from "../parts/name.tsx";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Order, Show } from "../rows/row-source.ts";
import { countText } from "../words/figures.ts";
import { showsOf, type ChangeRows, type RowColumnsShown, type RowsState } from "../row-parts/rows-state.ts";

/** How long after the last letter a search begins. */
const SEARCH_AFTER_MS = 150;

interface RowsFormProps {
  readonly state: RowsState;
  readonly change: ChangeRows;
  readonly columns: RowColumnsShown;
  /** Null while rows are not known. */
  readonly count: { readonly shown: number; readonly all: number } | null;
}

/** Search, which rows, in which order, and how many there are. */
export function RowsForm({ state, change, columns, count }: RowsFormProps): VNode {
  return (
    <form
      class="rows-form"
      role="search"
      aria-label="Filter rows"
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchBox search={state.search} change={change} />
      <label class="field">
        <span>Show</span>
        <select value={state.show} onChange={(event) => change({ show: event.currentTarget.value as Show })}>
          {shows(columns).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <OrderChoice order={state.order} change={change} columns={columns} />
      <p role="status" class="rows-count">
        {count === null ? "" : `${countText(count.shown)} of ${countText(count.all)} rows`}
      </p>
    </form>
  );
}

function SearchBox({ search, change }: { readonly search: string; readonly change: ChangeRows }): VNode {
  const [typed, setTyped] = useState(search);
  const sent = useRef(search);
  useEffect(() => {
    if (search === sent.current) return;
    sent.current = search;
    setTyped(search);
  }, [search]);
  useEffect(() => {
    if (typed === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      change({ search: typed });
    }, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="field search">
      <span>Search</span>
      <input
        type="search"
        value={typed}
        placeholder="in inputs and outputs"
        maxLength={1000}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  );
}

function shows({ score, baseline }: RowColumnsShown): (readonly [Show, string])[] {
  const [better, worse] = score === null || score.hasGoodSide ? ["better", "worse"] : ["higher", "lower"];
  const texts: Readonly<Record<Show, string>> = {
    all: "all rows",
    differ: "rows that differ",
    better: `rows where one is ${better} than the baseline`,
    worse: `rows where one is ${worse} than the baseline`,
    missing: "rows with a value missing",
  };
  return showsOf(score, baseline).map((show) => [show, texts[show]]);
}

interface OrderChoiceProps {
  readonly order: Order;
  readonly change: ChangeRows;
  readonly columns: RowColumnsShown;
}

function OrderChoice({ order, change, columns }: OrderChoiceProps): VNode {
  const column = typeof order === "string" ? null : columns.names.find(({ id }) => id === order.evaluation);
  return (
    <label class="field">
      <span>Order</span>
      <select
        value={typeof order === "string" ? order : "column"}
        onChange={({ currentTarget: { value } }) => {
          if (value === "difference" || value === "mean" || value === "stored") change({ order: value });
        }}
      >
        <option value="difference">largest difference first</option>
        <option value="mean">lowest mean first</option>
        <option value="stored">as stored</option>
        {column == null ? null : <option value="column">by {bracketed(column.text, 60)}</option>}
      </select>
    </label>
  );
}
