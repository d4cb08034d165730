import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

interface SectionProps {
  readonly title: ComponentChildren;
  /** What kind of section it is, for the style. */
  readonly kind: string;
  readonly children: ComponentChildren;
}

/** A region of the page that its heading names. */
export function Section({ title, kind, children }: SectionProps): VNode {
  const heading = useId();
  return (
    <section class={`section ${kind}`} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}
