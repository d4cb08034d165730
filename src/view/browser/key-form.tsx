import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Frame } from "./frame.tsx";

interface KeyFormProps {
  /** Whether `evalcube view` shows the page, which made the key itself. */
  readonly ownKey: boolean;
  /** Whether the service refused the last key. */
  readonly refused: boolean;
  readonly open: (key: string) => void;
}

/** Asks for a key of the service. */
export function KeyForm({ ownKey, refused, open }: KeyFormProps): VNode {
  const [key, setKey] = useState("");
  return (
    <Frame title="evalcube">
      <form
        class="key-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") open(key.trim());
        }}
      >
        {refused ? (
          <p role="alert" class="failure">
            The service does not accept this key.
          </p>
        ) : null}
        <p class="hint">
          {ownKey
            ? "This page is shown by evalcube view. Its key is in the address that it printed; copy that, or run it again."
            : "A key is made by evalcube keys create. It is kept until this tab is closed."}
        </p>
        <label class="field">
          <span>Key</span>
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
    </Frame>
  );
}
