import type { VNode } from "preact";
import { Facts } from "../parts/facts.tsx";
import { Modal } from "../row-parts/modal.tsx";

const KEYS = [
  ["/", "search"],
  ["↓ ↑ or j k", "next and previous row"],
  ["Enter", "open a row"],
  ["n p", "next and previous row while one is open"],
  ["d", "mark differences"],
  ["Escape", "close"],
  ["?", "these keys"],
] as const;

/** What keys do. */
export function KeyboardHelp({ close }: { readonly close: () => void }): VNode {
  return (
    <Modal kind="narrow" close={close} labelledBy="evalcube-keys-title">
      <div class="dialog-head">
        <h2 id="evalcube-keys-title">Keyboard</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <div class="dialog-body">
        <Facts facts={KEYS.map(([key, what]) => [<kbd>{key}</kbd>, what])} />
      </div>
    </Modal>
  );
}
