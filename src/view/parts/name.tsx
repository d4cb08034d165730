import type { VNode } from "preact";
import { cutMiddle } from "../../words/cut-text.ts";
import type { PageName } from "../../words/names.ts";
import type { Sentence } from "../../words/sentence.ts";

/**
 * Characters that show nothing, or turn the text around: C0 and C1, zero-width, bidirectional, line and tag controls.
 */
const CONTROL =
  // eslint-disable-next-line no-control-regex
  /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}])/u;

const LONGEST_NAME = 300;
const LONGEST_TITLE = 2000;

/** A string from the data as text: isolated from what is around it, with control characters framed by name. */
export function Name({ text, full }: { readonly text: string; readonly full?: string }): VNode {
  const whole = full ?? text;
  const shown = cutMiddle(text, LONGEST_NAME);
  const title = whole === shown ? {} : { title: bracketed(whole, LONGEST_TITLE) };
  return <bdi {...title}>{unbroken(shown)}</bdi>;
}

/**
 * A name where the room is short: what its short form leaves out is there for who reads it aloud or copies it, but not
 * seen.
 */
export function ShortName({ text, short, full }: PageName): VNode {
  let from = 0;
  const pieces = short.split("…");
  return (
    <bdi title={bracketed(full, LONGEST_TITLE)}>
      {pieces.map((piece, i) => {
        const at = i === pieces.length - 1 ? text.length - piece.length : text.indexOf(piece, from);
        const left = text.slice(from, at);
        from = at + piece.length;
        return [i === 0 ? null : <span class="cut">{framed(left)}</span>, unbroken(piece)];
      })}
    </bdi>
  );
}

/** Dates, times and hashes of commits, which stand on one line. */
const WHOLE =
  /((?<!\d)\d{4}-\d\d-\d\d(?:T[\d:.]{5,15}Z?)?(?!\d)|(?<!\d)\d\d:\d\d(?::\d\d)?(?!\d)|\b[\da-f]{7,40}\b)/i;

/** The same as `framed`; no date and no hash in it is broken over two lines. */
export function unbroken(text: string): (VNode | ReturnType<typeof framed>)[] {
  return text.split(WHOLE).map((part, i) =>
    i % 2 === 0 ? (
      framed(part)
    ) : (
      <span key={i} class="whole">
        {part}
      </span>
    ),
  );
}

/** A sentence whose names are isolated from its words. */
export function SentenceText({ sentence }: { readonly sentence: Sentence }): VNode {
  return (
    <>
      {sentence.map((part, i) =>
        typeof part === "string" ? unbroken(part) : <Name key={i} text={part.text} full={part.full} />,
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
  return cutMiddle(text, longest)
    .split(CONTROL)
    .map((part, i) => (i % 2 === 1 ? `[${codeOf(part)}]` : part))
    .join("");
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
