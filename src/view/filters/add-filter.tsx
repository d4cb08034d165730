import type { VNode } from "preact";
import { Choice } from "../parts/choice.tsx";
import { framed } from "../parts/name.tsx";
import { useAsked } from "../row-parts/use-asked.ts";
import { useState } from "preact/hooks";
import type { Filter } from "../../request/eval-results-request.ts";
import type { PageName } from "../../words/names.ts";
import { filterOf, OPERATORS, QUANTIFIERS, type FilterPart } from "./filter-parts.ts";

export interface AddFilterProps {
  readonly fields: readonly string[];
  /** Values of a field; resolves to none where they are not known. */
  readonly values: (field: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly names: readonly PageName[];
  readonly add: (filter: Filter) => void;
}

const EMPTY: FilterPart = { field: "", operator: "=", value: "", quantifier: "any", evaluation: null };

/** A form that makes one filter. */
export function AddFilter({ fields, values, names, add }: AddFilterProps): VNode {
  const [part, setPart] = useState(EMPTY);
  const set = (change: Partial<FilterPart>) => setPart((last) => ({ ...last, ...change }));
  const field = part.field === "" ? (fields[0] ?? "") : part.field;
  const { answer, asking, error } = useAsked((signal) => values(field, signal), [field]);
  const options = asking || error !== null ? [] : (answer ?? []);
  return (
    <form
      class="filter-form"
      aria-label="New filter"
      onSubmit={(event) => {
        event.preventDefault();
        add(filterOf({ ...part, field }));
        set({ value: "" });
      }}
    >
      <FilterFields part={{ ...part, field }} set={set} fields={fields} options={options} names={names} />
      <button type="submit" disabled={field === ""}>
        Add filter
      </button>
      {error === null ? null : (
        <p class="hint">The values of this field could not be read: {framed(error.message)}</p>
      )}
    </form>
  );
}

interface FilterFieldsProps {
  readonly part: FilterPart;
  readonly set: (change: Partial<FilterPart>) => void;
  readonly fields: readonly string[];
  readonly options: readonly string[];
  readonly names: readonly PageName[];
}

function FilterFields({ part, set, fields, options, names }: FilterFieldsProps): VNode {
  return (
    <>
      <Choice
        label="Field"
        value={part.field}
        options={fields.map(plain)}
        choose={(one) => set({ field: one })}
      />
      <Choice
        label="Operator"
        value={part.operator}
        options={OPERATORS.map(plain)}
        choose={(one) => set({ operator: OPERATORS.find((name) => name === one) ?? "=" })}
      />
      <ValueField part={part} set={set} options={options} />
      <Choice
        label="Quantifier"
        value={part.quantifier}
        options={QUANTIFIERS.map(plain)}
        choose={(one) => set({ quantifier: QUANTIFIERS.find((name) => name === one) ?? "any" })}
      />
      <Choice
        label="Evaluation"
        value={part.evaluation ?? ""}
        options={[["", "any"], ...names.map(({ id, short }) => [id, short] as const)]}
        choose={(one) => set({ evaluation: one === "" ? null : one })}
      />
    </>
  );
}

/** A text; values of the field are offered. */
function ValueField({ part, set, options }: Pick<FilterFieldsProps, "part" | "set" | "options">): VNode {
  const takesValue = part.operator !== "is missing";
  return (
    <label class="field">
      <span>Value</span>
      <input
        type="text"
        autocomplete="off"
        list="evalcube-values"
        value={takesValue ? part.value : ""}
        disabled={!takesValue}
        onInput={(event) => set({ value: event.currentTarget.value })}
      />
      <datalist id="evalcube-values">
        {options.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

function plain(value: string): readonly [string, string] {
  return [value, value];
}
