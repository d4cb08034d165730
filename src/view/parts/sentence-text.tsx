import type { VNode } from "preact";
import type { Sentence } from "../words/sentence.ts";
import { framed, Name } from "./name.tsx";

/** A sentence whose names are isolated from its words. */
export function SentenceText({ sentence }: { readonly sentence: Sentence }): VNode {
  return (
    <>
      {sentence.map((part, i) =>
        typeof part === "string" ? framed(part) : <Name key={i} text={part.text} full={part.full} />,
      )}
    </>
  );
}
