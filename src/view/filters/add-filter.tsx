import type { VNode } from "preact";
import { bracketed } from "../parts/name.tsx";
import { useState } from "preact/hooks";
import type { Filter } from "../../request/eval-results-request.ts";
import type { EvaluationName } from "../words/names.ts";
import { filterOf, OPERATORS, QUANTIFIERS, type FilterPart } from "./filter-parts.ts";

interface AddFilterProps {
  readonly fields: readonly string[];
  readonly names: readonly EvaluationName[];
  readonly add: (filter: Filter) => void;
}

const EMPTY: FilterPart = { field: "", operator: "=", value: "", quantifier: "any", evaluation: null };

/** A form that makes one filter. */
export function AddFilter({ fields, names, add }: AddFilterProps): VNode {
  const [part, setPart] = useState(EMPTY);
  const set = (change: Partial<FilterPart>) => setPart((last) => ({ ...last, ...change }));
  const field = part.field === "" ? (fields[0] ?? "") : part.field;
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
      <FilterFields part={{ ...part, field }} set={set} fields={fields} names={names} />
      <button type="submit" disabled={field === ""}>
        Add filter
      </button>
    </form>
  );
}

interface FilterFieldsProps {
  readonly part: FilterPart;
  readonly set: (change: Partial<FilterPart>) => void;
  readonly fields: readonly string[];
  readonly names: readonly EvaluationName[];
}

function FilterFields({ part, set, fields, names }: FilterFieldsProps): VNode {
  const takesValue = part.operator !== "is missing";
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
      <label class="field">
        <span>Value</span>
        <input
          value={takesValue ? part.value : ""}
          disabled={!takesValue}
          onInput={(event) => set({ value: event.currentTarget.value })}
        />
      </label>
      <Choice
        label="Quantifier"
        value={part.quantifier}
        options={QUANTIFIERS.map(plain)}
        choose={(one) => set({ quantifier: QUANTIFIERS.find((name) => name === one) ?? "any" })}
      />
      <Choice
        label="Evaluation"
        value={part.evaluation ?? ""}
        options={[["", "any"], ...names.map(({ id, text }) => [id, bracketed(text, 100)] as const)]}
        choose={(one) => set({ evaluation: one === "" ? null : one })}
      />
    </>
  );
}

function plain(value: string): readonly [string, string] {
  return [value, bracketed(value, 100)];
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
