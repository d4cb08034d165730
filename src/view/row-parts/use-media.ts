import { useEffect, useMemo, useState } from "preact/hooks";

/** Whether a query of the style is met now. */
export function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  const [isMet, setMet] = useState(media.matches);
  useEffect(() => {
    const follow = () => setMet(media.matches);
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, [media]);
  return isMet;
}
