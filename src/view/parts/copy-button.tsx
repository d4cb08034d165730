import type { VNode } from "preact";
import { useState } from "preact/hooks";

interface CopyButtonProps {
  readonly label: string;
  readonly disabled?: boolean;
  readonly text: () => string;
}

/** Copies a text; where the browser does not let it, shows the text. */
export function CopyButton({ label, disabled = false, text }: CopyButtonProps): VNode {
  const [told, setTold] = useState<VNode | string>("");
  const copy = async () => {
    const copied = text();
    try {
      await navigator.clipboard.writeText(copied);
      setTold("Copied.");
    } catch {
      setTold(<code>{copied}</code>);
    }
  };
  return (
    <span class="copy">
      <button
        type="button"
        disabled={disabled}
        onClick={() => void copy()}
        onBlur={() => setTold((last) => (typeof last === "string" ? "" : last))}
      >
        {label}
      </button>
      <span aria-live="polite">{told}</span>
    </span>
  );
}
