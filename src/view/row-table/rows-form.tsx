import type { VNode } from "preact";
import { Choice } from "../parts/choice.tsx";
import { useTyped } from "../parts/use-typed.ts";
import type { Show } from "../rows/row-source.ts";
import { countText } from "../../words/figures.ts";
import { hasGoodSide } from "../../words/score.ts";
import { showsOf, type PageRows, type RowColumnsShown } from "../row-parts/rows-state.ts";

/** How long after the last letter a search begins. */
const SEARCH_AFTER_MS = 150;

/** Search, which rows, in which order, and how many there are. */
export function RowsForm({ state, change, columns, asked: { answer } }: PageRows): VNode {
  return (
    <form
      class="rows-form"
      role="search"
      aria-label="Filter rows"
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchBox state={state} change={change} />
      <Choice
        label="Show"
        value={state.show}
        options={shows(columns)}
        choose={(show) => change({ show: show as Show })}
      />
      <OrderChoice state={state} change={change} columns={columns} />
      <p role="status" class="rows-count">
        {answer === null ? "" : `${countText(answer.count)} of ${countText(answer.total)} rows`}
      </p>
    </form>
  );
}

function SearchBox({ state, change }: Pick<PageRows, "state" | "change">): VNode {
  const typed = useTyped(state.search, (text) => change({ search: text }), SEARCH_AFTER_MS);
  return (
    <label class="field search">
      <span>Search</span>
      <input type="search" placeholder="in inputs and outputs" maxLength={1000} {...typed} />
    </label>
  );
}

function shows({ score, baseline }: RowColumnsShown): (readonly [Show, string])[] {
  const [better, worse] = score === null || hasGoodSide(score) ? ["better", "worse"] : ["higher", "lower"];
  const texts: Readonly<Record<Show, string>> = {
    all: "all rows",
    differ: "rows that differ",
    better: `rows where one is ${better} than the baseline`,
    worse: `rows where one is ${worse} than the baseline`,
    missing: "rows with a value missing",
  };
  return showsOf(score, baseline).map((show) => [show, texts[show]]);
}

function OrderChoice({
  state: { order },
  change,
  columns,
}: Pick<PageRows, "state" | "change" | "columns">): VNode {
  const column = typeof order === "string" ? null : columns.names.find(({ id }) => id === order.evaluation);
  return (
    <Choice
      label="Order"
      value={typeof order === "string" ? order : "column"}
      options={[
        ["difference", "largest difference first"],
        ["mean", "lowest mean first"],
        ["stored", "as stored"],
        ...(column == null ? [] : [["column", `by ${column.text}`] as const]),
      ]}
      choose={(value) => {
        if (value === "difference" || value === "mean" || value === "stored") change({ order: value });
      }}
    />
  );
}
