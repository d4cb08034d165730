import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../request/eval-results-request.ts";
import { writeJson } from "../../model/json.ts";
import { Disclosure } from "../parts/disclosure.tsx";
import { framed } from "../parts/name.tsx";
import { startOf } from "../words/cut-text.ts";
import type { EvaluationName } from "../words/names.ts";
import { AddFilter } from "./add-filter.tsx";
import { partOf, readFilters, writeFilters, type FilterPart } from "./filter-parts.ts";

interface FiltersSectionProps {
  /** The request's `filters` as JSON text; empty: none. */
  readonly text: string;
  readonly change: (text: string) => void;
  /** Fields that are known by now. */
  readonly fields: () => readonly string[];
  readonly names: readonly EvaluationName[];
  /** What the service says of the filters; null where they are sound. */
  readonly refusal: string | null;
}

/** Filters as a form and as JSON. */
export function FiltersSection(props: FiltersSectionProps): VNode {
  const { text, refusal } = props;
  const read = readFilters(text);
  const error = "error" in read ? read.error : refusal;
  const filters = "error" in read ? [] : read.filters;
  return (
    <Disclosure
      kind="section filters"
      title="Filters"
      because={error}
      content={() => <Filters {...props} filters={filters} error={error} />}
    />
  );
}

interface FiltersProps extends Omit<FiltersSectionProps, "refusal"> {
  readonly filters: readonly Filter[];
  readonly error: string | null;
}

function Filters({ text, change, fields, names, filters, error }: FiltersProps): VNode {
  return (
    <>
      <ol class="filter-list">
        {filters.map((filter, i) => (
          <li key={i}>
            <FilterText filter={filter} names={names} />{" "}
            <button type="button" onClick={() => change(writeFilters(filters.filter((_, at) => at !== i)))}>
              Remove filter {i + 1}
            </button>
          </li>
        ))}
      </ol>
      <AddFilter
        fields={fields()}
        names={names}
        add={(filter) => change(writeFilters([...filters, filter]))}
      />
      <JsonBox text={text} change={change} />
      {error === null ? null : (
        <p role="alert" class="failure">
          {framed(startOf(error, 2000))}
        </p>
      )}
    </>
  );
}

interface FilterTextProps {
  readonly filter: Filter;
  readonly names: readonly EvaluationName[];
}

function FilterText({ filter, names }: FilterTextProps): VNode {
  const part = partOf(filter);
  return <code>{framed(part === null ? startOf(writeJson(filter), 2000) : sentence(part, names))}</code>;
}

const TRIALS = { any: "any trial", all: "all trials", first: "the first trial", mean: "the mean of trials" };

function sentence(part: FilterPart, names: readonly EvaluationName[]): string {
  const { field, operator, value, quantifier, evaluation } = part;
  const of =
    evaluation === null ? "" : ` of ${names.find(({ id }) => id === evaluation)?.text ?? evaluation}`;
  const text = `${field} ${operator}${value === "" ? "" : ` ${value}`}, ${TRIALS[quantifier]}${of}`;
  return startOf(text, 2000);
}

/** How long after the last letter the text counts. */
const TAKEN_AFTER_MS = 400;

function JsonBox({ text, change }: Pick<FiltersSectionProps, "text" | "change">): VNode {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  useEffect(() => {
    if (text === sent.current) return;
    sent.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      change(typed);
    }, TAKEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="field">
      <span>Filters as JSON</span>
      <textarea
        rows={3}
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  );
}
