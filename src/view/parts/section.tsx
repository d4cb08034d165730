import type { ComponentChildren, VNode } from "preact";

interface SectionProps {
  readonly title: ComponentChildren;
  /** Which section of the page it is; there is one of each. */
  readonly kind: string;
  readonly children: ComponentChildren;
}

/** A region of the page that its heading names. */
export function Section({ title, kind, children }: SectionProps): VNode {
  const heading = `section-${kind}`;
  return (
    <section class={`section ${kind}`} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}

interface ProseProps {
  /** One line. */
  readonly children: ComponentChildren;
  /** How the table or picture below is to be read. */
  readonly more: ComponentChildren;
}

/** What is said above a table: a line, and more for who asks. */
export function Prose({ children, more }: ProseProps): VNode {
  return (
    <div class="prose hint">
      <p>{children}</p>
      <details>
        <summary>How to read this</summary>
        <p>{more}</p>
      </details>
    </div>
  );
}

/** A section whose answers are under way. */
export function Reading({ title, kind }: Omit<SectionProps, "children">): VNode {
  return (
    <Section kind={kind} title={title}>
      <p class="hint">Reading.</p>
    </Section>
  );
}

/** The section of rows while nothing can run. */
export function RowsNeedScripts(): VNode {
  return (
    <Section kind="rows" title="Rows">
      <p class="hint">The rows are in this file, but showing them needs scripts, which are off here.</p>
    </Section>
  );
}
