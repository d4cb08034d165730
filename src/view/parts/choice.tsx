import type { VNode } from "preact";
import { bracketed } from "./name.tsx";

type Option = readonly [value: string, text: string];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  /** Further options, under a heading of their own. */
  readonly below?: { readonly heading: string; readonly options: readonly Option[] };
  readonly choose: (value: string) => void;
  readonly disabled?: boolean;
}

/** A field that lets one of several be chosen. */
export function Choice({ label, value, options, below, choose, disabled = false }: ChoiceProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} disabled={disabled} onChange={(event) => choose(event.currentTarget.value)}>
        {optionsOf(options, value)}
        {below === undefined || below.options.length === 0 ? null : (
          <optgroup label={below.heading}>{optionsOf(below.options, value)}</optgroup>
        )}
      </select>
    </label>
  );
}

function optionsOf(options: readonly Option[], value: string): VNode[] {
  return options.map(([one, text]) => (
    <option key={one} value={one} selected={one === value}>
      {bracketed(text)}
    </option>
  ));
}
