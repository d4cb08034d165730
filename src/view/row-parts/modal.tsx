import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface ModalProps {
  /** How wide: as wide as its text, or as the page has room. */
  readonly kind?: "narrow";
  readonly close: () => void;
  readonly labelledBy: string;
  readonly children: ComponentChildren;
}

/** A dialog above the page, which Escape closes. */
export function Modal({ kind, close, labelledBy, children }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={labelledBy}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      {children}
    </dialog>
  );
}

/** Handlers by `KeyboardEvent.key`. One that returns false leaves the key to the browser. */
type Keys = Readonly<Record<string, ((event: KeyboardEvent) => unknown) | undefined>>;

/** Single keys, anywhere in the document, but where a text is typed. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, altKey, defaultPrevented, target, key } = event;
      if (ctrlKey || metaKey || altKey || defaultPrevented || isTyping(target)) return;
      const act = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (act !== undefined && act(event) !== false) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Where a text is typed or a choice is made. */
const TYPED =
  "textarea, select, input:not([type=checkbox], [type=radio], [type=button]), [contenteditable=true]";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(TYPED);
}
