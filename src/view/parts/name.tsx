import type { VNode } from "preact";
import { cutText } from "../words/cut-text.ts";
import type { Sentence } from "../words/sentence.ts";

/** Characters that show nothing, or turn the text around: C0 and C1, zero-width, bidirectional, line and tag controls. */
const CONTROL =
  // eslint-disable-next-line no-control-regex
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])/u;

const LONGEST_NAME = 300;
const LONGEST_TITLE = 2000;

/** A string from the data as text: isolated from what is around it, with control characters framed by name. */
export function Name({ text, full }: { readonly text: string; readonly full?: string }): VNode {
  const whole = full ?? text;
  const shown = cutText(text, LONGEST_NAME);
  const title = whole === shown ? {} : { title: bracketed(whole, LONGEST_TITLE) };
  return <bdi {...title}>{framed(shown)}</bdi>;
}

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

/** A text in which control characters are framed by name. */
export function framed(text: string): (string | VNode)[] {
  return text.split(CONTROL).flatMap((part, i): (string | VNode)[] => {
    if (i % 2 === 1)
      return [
        <span key={i} class="control">
          {codeOf(part)}
        </span>,
      ];
    return part === "" ? [] : [part];
  });
}

/** The same where only text can stand, as in an option or a title. */
export function bracketed(text: string, longest = LONGEST_NAME): string {
  return cutText(text, longest)
    .split(CONTROL)
    .map((part, i) => (i % 2 === 1 ? `[${codeOf(part)}]` : part))
    .join("");
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
