import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EvalResultsRequest } from "../../request/eval-results-request.ts";

/** Copies the request of the rows that are shown, as `evalcube query` takes it. */
export function CopyRequest({ request }: { readonly request: () => EvalResultsRequest }): VNode {
  const [told, setTold] = useState("");
  const copy = async () => {
    const text = JSON.stringify(request(), null, 2);
    try {
      await navigator.clipboard.writeText(text);
      setTold("Copied.");
    } catch {
      setTold(text);
    }
  };
  return (
    <p class="copy-request">
      <button type="button" onClick={() => void copy()}>
        Copy request
      </button>{" "}
      <span aria-live="polite">{told.length > 20 ? <code>{told}</code> : told}</span>
    </p>
  );
}
