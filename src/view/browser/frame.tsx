import type { ComponentChildren, VNode } from "preact";
import { Name } from "../parts/name.tsx";
import { Reading } from "../parts/section.tsx";

interface FrameProps {
  readonly title: string;
  /** Whether answers are awaited: then the sections of the page are there, and say so. */
  readonly reading?: boolean;
  readonly children?: ComponentChildren;
}

const SECTIONS = [
  ["conclusion", "Conclusion"],
  ["leaderboard", "Leaderboard"],
  ["rows-section", "Rows"],
] as const;

/** The page before there are answers. */
export function Frame({ title, reading = false, children }: FrameProps): VNode {
  return (
    <div class="page">
      <header class="banner">
        <div class="subject">
          <h1>
            <Name text={title} />
          </h1>
        </div>
      </header>
      <main aria-busy={reading}>
        {children}
        {reading ? SECTIONS.map(([kind, name]) => <Reading key={kind} kind={kind} title={name} />) : null}
      </main>
    </div>
  );
}
