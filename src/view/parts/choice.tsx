import type { VNode } from "preact";
import { bracketed } from "./name.tsx";

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
  readonly disabled?: boolean;
}

/** A field that lets one of several be chosen. */
export function Choice({ label, value, options, choose, disabled = false }: ChoiceProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} disabled={disabled} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={one === value}>
            {bracketed(text)}
          </option>
        ))}
      </select>
    </label>
  );
}
