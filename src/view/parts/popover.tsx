import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface PopoverProps {
  readonly kind: string;
  readonly title: string;
  /** Opens it whenever it changes to other than null. */
  readonly because?: string | null;
  readonly content: () => VNode;
}

/**
 * What opens above the page, so that nothing moves. Its content is made when it is first opened, and then stays: it may
 * be long, and few open it.
 */
export function Popover({ kind, title, because = null, content }: PopoverProps): VNode {
  const [open, setOpen] = useState(false);
  const wasOpen = useRef(false);
  wasOpen.current ||= open;
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (because !== null) setOpen(true);
  }, [because]);
  useEffect(() => (open ? whenLeft(details.current, () => setOpen(false)) : undefined), [open]);
  return (
    <details
      ref={details}
      class={`popover ${kind}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      {wasOpen.current ? <div class="panel">{content()}</div> : null}
    </details>
  );
}

/** Calls back at a press outside of the element, and at Escape, which brings the focus to its summary. */
function whenLeft(element: HTMLElement | null, leave: () => void): () => void {
  const press = ({ target }: Event) => {
    if (target instanceof Node && element?.contains(target) === false) leave();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (element?.contains(document.activeElement) === true) element.querySelector("summary")?.focus();
    leave();
  };
  document.addEventListener("pointerdown", press);
  document.addEventListener("keydown", key);
  return () => {
    document.removeEventListener("pointerdown", press);
    document.removeEventListener("keydown", key);
  };
}
