import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bracketed } from "../parts/name.tsx";

interface ValueBoxProps {
  readonly value: string;
  readonly disabled: boolean;
  /** What is offered; anything else can be typed. */
  readonly options: readonly string[];
  readonly change: (value: string) => void;
}

const LIST = "evalcube-values";
const MOST_OPTIONS = 100;

/** A text that offers values: those that hold what is typed, all where it is one of them. */
export function ValueBox(props: ValueBoxProps): VNode {
  const { value, disabled, change } = props;
  const { shown, at, show, choose, press } = useOffers(props);
  return (
    <div class="field value-box">
      <label class="field">
        <span>Value</span>
        <input
          type="text"
          role="combobox"
          autocomplete="off"
          aria-autocomplete="list"
          aria-expanded={shown.length > 0}
          aria-controls={LIST}
          aria-activedescendant={at < shown.length ? `${LIST}-${at}` : undefined}
          value={value}
          disabled={disabled}
          onFocus={() => show(true)}
          onClick={() => show(true)}
          onBlur={() => show(false)}
          onKeyDown={press}
          onInput={(event) => {
            change(event.currentTarget.value);
            show(true);
          }}
        />
      </label>
      <ul id={LIST} role="listbox" aria-label="Values" hidden={shown.length === 0}>
        {shown.map((one, i) => (
          <Offer key={one} text={one} place={i} chosen={i === at} choose={choose} />
        ))}
      </ul>
    </div>
  );
}

/** What is offered now, none where nothing is; and the option that the keyboard is at, infinite for none. */
function useOffers({ value, options, change }: ValueBoxProps) {
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(Infinity);
  const typed = options.includes(value) ? "" : value.toLowerCase();
  const shown = open ? options.filter((one) => one.toLowerCase().includes(typed)).slice(0, MOST_OPTIONS) : [];
  const show = (wanted: boolean) => {
    setOpen(wanted);
    setAt(Infinity);
  };
  const choose = (one: string) => {
    change(one);
    show(false);
  };
  const press = (event: KeyboardEvent) => {
    const chosen = shown[at];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      const next = at === Infinity ? 0 : at + (event.key === "ArrowDown" ? 1 : -1);
      setAt(Math.max(0, Math.min(shown.length - 1, next)));
    } else if (event.key === "Enter" && chosen !== undefined) choose(chosen);
    else if (event.key === "Escape" && shown.length > 0) show(false);
    else return;
    event.preventDefault();
  };
  return { shown, at, show, choose, press };
}

interface OfferProps {
  readonly text: string;
  readonly place: number;
  readonly chosen: boolean;
  readonly choose: (text: string) => void;
}

function Offer({ text, place, chosen, choose }: OfferProps): VNode {
  return (
    // The keyboard stays in the text, which tells which option is meant.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <li
      id={`${LIST}-${place}`}
      role="option"
      aria-selected={chosen}
      ref={(element) => void (chosen && element?.scrollIntoView({ block: "nearest" }))}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => choose(text)}
    >
      {bracketed(text, 100)}
    </li>
  );
}
