import { Fragment, type ComponentChildren, type VNode } from "preact";

/** A name with its value. */
export type Fact = readonly [name: ComponentChildren, value: ComponentChildren];

/** Names with their values, in two columns. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(([name, value], i) => (
        <Fragment key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
