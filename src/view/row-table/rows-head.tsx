import type { VNode } from "preact";
import { Name, ShortName } from "../parts/name.tsx";
import type { Order } from "../rows/row-source.ts";
import type { PageRows, RowColumnsShown } from "../row-parts/rows-state.ts";
import type { RowLayout } from "./row-layout.ts";

interface RowsHeadProps extends Pick<PageRows, "columns" | "state" | "change"> {
  readonly layout: RowLayout;
}

/** Pixels that a table needs at least. */
export function columnsWidth({ names }: RowColumnsShown, { stacked, steps }: RowLayout): number {
  const cell = names.length > 4 ? 38 : 110;
  return stacked
    ? 0
    : 60 + (names.length > 20 ? 260 : 150) + names.length * cell + (steps === null ? 0 : 240);
}

/** The names of the columns; those of evaluations sort. */
export function RowsHead({ columns: { names }, state: { order }, change, layout }: RowsHeadProps): VNode {
  const outputs = layout.outputs.flatMap((place) => names[place] ?? []);
  const stepped = layout.steps === null ? undefined : names[layout.steps];
  return (
    <>
      <Widths names={names} outputs={outputs} hasSteps={stepped !== undefined} />
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" class="place">
            #
          </th>
          <th scope="col" class="input">
            Input
          </th>
          {names.map((name) => (
            <th key={name.id} scope="col" class="value" aria-sort={sortOf(order, name.id)}>
              <button type="button" onClick={() => change({ order: turned(order, name.id) })}>
                <span class="head-name">
                  <ShortName {...name} />
                </span>
              </button>
            </th>
          ))}
          {outputs.map(({ id, text, full }) => (
            <th key={`output ${id}`} scope="col" class="output">
              Output of <Name text={text} full={full} />
            </th>
          ))}
          {stepped === undefined ? null : (
            <th scope="col" class="steps">
              Steps of <Name text={stepped.text} full={stepped.full} />
            </th>
          )}
        </tr>
      </thead>
    </>
  );
}

interface WidthsProps extends Readonly<Record<"names" | "outputs", RowColumnsShown["names"]>> {
  readonly hasSteps: boolean;
}

function Widths({ names, outputs, hasSteps }: WidthsProps): VNode {
  return (
    <colgroup>
      <col class="place" />
      <col class="input" />
      {names.map(({ id }) => (
        <col key={id} class="value" />
      ))}
      {outputs.map(({ id }) => (
        <col key={`output ${id}`} class="output" />
      ))}
      {hasSteps ? <col class="steps" /> : null}
    </colgroup>
  );
}

function sortOf(order: Order, id: string): "ascending" | "descending" | "none" {
  if (typeof order === "string" || order.evaluation !== id) return "none";
  return order.direction === "asc" ? "ascending" : "descending";
}

function turned(order: Order, evaluation: string): Order {
  return { evaluation, direction: sortOf(order, evaluation) === "descending" ? "asc" : "desc" };
}
