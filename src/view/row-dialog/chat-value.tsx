import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../model/json.ts";
import type { Chat, TurnPart } from "../../model/chat.ts";
import { bracketed, Name } from "../parts/name.tsx";
import { plain, type Part } from "../rows/marks.ts";
import { readable } from "../rows/readable.ts";
import { counted, countText } from "../../words/figures.ts";
import { LongText } from "./long-text.tsx";

interface ChatValueProps {
  readonly chat: Chat;
  /** The name of the evaluation whose output it is. */
  readonly of: string;
  /** The last text of the assistant, with its marks. */
  readonly parts: readonly Part[];
  readonly marked: "del" | "ins";
}

/** A chat: its last text, and above it all turns, which can be opened. */
export function ChatValue({ chat, of, parts, marked }: ChatValueProps): VNode {
  const { messages, calls, last, rest } = chat;
  // There may be many, and few open them.
  const [opened, setOpened] = useState(false);
  const counts = [
    ...(messages > 0 ? [counted(messages, "message")] : []),
    ...(calls > 0 ? [counted(calls, "tool call")] : []),
  ];
  return (
    <>
      <details class="chat" onToggle={() => setOpened(true)}>
        <summary>{counts.join(", ")}</summary>
        {opened ? <Turns chat={chat} of={of} /> : null}
      </details>
      {last === null ? (
        <p class="hint">The assistant says nothing in it.</p>
      ) : (
        <LongText parts={parts} marked={marked} />
      )}
      {rest === null ? null : <Data value={rest} />}
    </>
  );
}

/** Turns that are shown at first, the last ones, and by each press of the button above them. */
const SOME_TURNS = 200;

function Turns({ chat: { turns }, of }: Pick<ChatValueProps, "chat" | "of">): VNode {
  const [shown, setShown] = useState(SOME_TURNS);
  const earlier = Math.max(0, turns.length - shown);
  return (
    <>
      {earlier === 0 ? null : (
        <p>
          <button type="button" onClick={() => setShown(shown + SOME_TURNS)}>
            Show {countText(Math.min(earlier, SOME_TURNS))} of {counted(earlier, "earlier turn")}
          </button>
        </p>
      )}
      <ol class="turns" aria-label={`Messages of ${bracketed(of)}`}>
        {turns.slice(earlier).map(({ role, parts }, i) => (
          <li key={earlier + i}>
            <strong>{role}</strong>
            {parts.map((part, at) => (
              <Said key={at} part={part} />
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}

function Said({ part }: { readonly part: TurnPart }): VNode {
  if (part.kind === "text") return <LongText parts={plain(part.text)} marked="ins" tabbed={false} />;
  if (part.kind === "data") return <Data value={part.value} />;
  return (
    <div class="tool-call">
      <div>
        calls <Name text={part.name} />
        <Data value={part.arguments} />
      </div>
      {part.results.map((result, i) => (
        <div key={i}>
          result
          <Data value={result} />
        </div>
      ))}
    </div>
  );
}

function Data({ value }: { readonly value: Json }): VNode {
  return <LongText parts={plain(readable(value, true).text)} marked="ins" tabbed={false} />;
}
