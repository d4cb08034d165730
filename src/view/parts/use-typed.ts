import { useEffect, useRef, useState } from "preact/hooks";

/**
 * A text as it is typed, which counts when no letter was typed for a while; where it changes elsewhere, that counts.
 */
export function useTyped(text: string, change: (text: string) => void, afterMs: number) {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  useEffect(() => {
    if (text === sent.current) return;
    sent.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      change(typed);
    }, afterMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return {
    value: typed,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      setTyped(event.currentTarget.value),
  };
}
