import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface DisclosureProps {
  readonly kind: string;
  readonly title: string;
  /** Opens it whenever it changes to other than null. */
  readonly because?: string | null;
  readonly content: () => VNode;
}

/** What can be opened. Its content is made when it is first opened, and then stays: it may be long, and few open it. */
export function Disclosure({ kind, title, because = null, content }: DisclosureProps): VNode {
  const [open, setOpen] = useState(false);
  const wasOpen = useRef(false);
  wasOpen.current ||= open;
  useEffect(() => {
    if (because !== null) setOpen(true);
  }, [because]);
  return (
    <details class={kind} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {wasOpen.current ? content() : null}
    </details>
  );
}
