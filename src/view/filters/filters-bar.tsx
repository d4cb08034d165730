import type { VNode } from "preact";
import type { Filter } from "../../request/eval-results-request.ts";
import { framed } from "../parts/name.tsx";
import { Popover } from "../parts/popover.tsx";
import { useTyped } from "../parts/use-typed.ts";
import { startOf } from "../../words/cut-text.ts";
import { filterWords } from "../../words/filter-words.ts";
import type { PageName } from "../../words/names.ts";
import { AddFilter, type AddFilterProps } from "./add-filter.tsx";
import { readFilters, writeFilters } from "./filter-parts.ts";

interface FiltersBarProps {
  /** The request's `filters` as JSON text; empty: none. */
  readonly text: string;
  readonly change: (text: string) => void;
  /** Fields that are known by now. */
  readonly fields: readonly string[];
  /** Values of a field, those of most rows first; resolves to none where they are not known. */
  readonly values: AddFilterProps["values"];
  readonly names: readonly PageName[];
  /** What the service says of the filters; null where they are sound. */
  readonly refusal: string | null;
  /** What the service remarks where no row passes the filters; null where one does. */
  readonly noRow: readonly string[] | null;
}

/** The filters in words, and, behind a word, as a form and as JSON. */
export function FiltersBar(props: FiltersBarProps): VNode {
  const { text, change, names, refusal, noRow } = props;
  const read = readFilters(text);
  const error = "error" in read ? read.error : refusal;
  const filters = "error" in read ? [] : read.filters;
  const list = <FilterList filters={filters} names={names} change={change} />;
  return (
    <div class="filters-bar">
      <Popover
        kind="filters"
        title="Filters"
        because={error}
        content={() => <FilterPanel {...props} filters={filters} error={error} />}
      />
      {noRow === null || filters.length === 0 ? (
        list
      ) : (
        <div role="alert" class="failure">
          <p>No row passes the filters. {framed(startOf(noRow.join(" "), 2000))}</p>
          {list}
        </div>
      )}
    </div>
  );
}

interface FilterListProps {
  readonly filters: readonly Filter[];
  readonly names: readonly PageName[];
  readonly change: (text: string) => void;
}

function FilterList({ filters, names, change }: FilterListProps): VNode | null {
  if (filters.length === 0) return null;
  const nameOf = (evaluation: string) => names.find(({ id }) => id === evaluation)?.text ?? evaluation;
  return (
    <ol class="filter-list" aria-label="Filters">
      {filters.map((filter, i) => (
        <li key={i}>
          <bdi>{framed(startOf(filterWords(filter, nameOf), 2000))}</bdi>{" "}
          <button type="button" onClick={() => change(writeFilters(filters.filter((_, at) => at !== i)))}>
            Remove filter {i + 1}
          </button>
        </li>
      ))}
    </ol>
  );
}

interface FilterPanelProps extends Omit<FiltersBarProps, "refusal" | "noRow"> {
  readonly filters: readonly Filter[];
  readonly error: string | null;
}

/** How long after the last letter the text counts. */
const TAKEN_AFTER_MS = 400;

function FilterPanel({ text, change, fields, values, names, filters, error }: FilterPanelProps): VNode {
  const typed = useTyped(text, change, TAKEN_AFTER_MS);
  return (
    <>
      <AddFilter
        fields={fields}
        values={values}
        names={names}
        add={(filter) => change(writeFilters([...filters, filter]))}
      />
      <label class="field">
        <span>Filters as JSON</span>
        <textarea rows={3} spellcheck={false} {...typed} />
      </label>
      {error === null ? null : (
        <p role="alert" class="failure">
          {framed(startOf(error, 2000))}
        </p>
      )}
    </>
  );
}
