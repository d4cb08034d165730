import { useLayoutEffect, useState } from "preact/hooks";

/** Calls back once there was a frame; gives what calls it off. */
export function afterFrame(call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(call);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/**
 * False until there was a frame with what is drawn first. An effect alone would not wait for it: it runs before another
 * drawing.
 */
export function useFramed(): boolean {
  const [isFramed, setFramed] = useState(false);
  useLayoutEffect(() => afterFrame(() => setFramed(true)), []);
  return isFramed;
}
