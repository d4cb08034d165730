import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

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
