import type { VNode } from "preact";

/** Drawn, since few fonts have all of these characters. */
const SHAPES: Readonly<Record<string, VNode>> = {
  "▲": <path d="M5 1 9.5 9H.5Z" />,
  "▼": <path d="M5 9 .5 1h9Z" />,
  "◄": <path d="M1 5 9 .5v9Z" />,
  "≈": <path class="line" d="M.5 3.6q2.2-2.4 4.5 0t4.5 0M.5 7.2q2.2-2.4 4.5 0t4.5 0" />,
  "=": <path class="line" d="M1 3.5h8M1 6.8h8" />,
  "○": <circle class="line" cx="5" cy="5" r="3.8" />,
  "◇": <path class="line" d="M5 .7 9.3 5 5 9.3.7 5Z" />,
  "•": <circle cx="5" cy="5" r="1.3" />,
};

/** The mark of a standing; the words beside it say the same. */
export function Glyph({ mark }: { readonly mark: string }): VNode {
  return (
    <span class="glyph" aria-hidden="true">
      <span class="unseen">{mark}</span>
      <svg viewBox="0 0 10 10">
        {SHAPES[mark] ?? (
          <text x="5" y="9" text-anchor="middle">
            {mark}
          </text>
        )}
      </svg>
    </span>
  );
}
