import type { VNode } from "preact";
import { Name } from "../parts/name.tsx";
import type { Order } from "../rows/row-source.ts";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";

interface RowsHeadProps {
  readonly columns: RowColumnsShown;
  readonly order: Order;
  readonly chooseOrder: (order: Order) => void;
}

/** Pixels that a table needs at least. */
export function columnsWidth({ names }: RowColumnsShown): number {
  const cell = names.length > 4 ? 38 : 110;
  return 60 + (names.length > 20 ? 260 : 150) + names.length * cell;
}

/** The names of the columns; those of evaluations sort. */
export function RowsHead({ columns, order, chooseOrder }: RowsHeadProps): VNode {
  return (
    <>
      <colgroup>
        <col class="place" />
        <col class="input" />
        {columns.names.map(({ id }) => (
          <col key={id} class="value" />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" class="place">
            #
          </th>
          <th scope="col" class="input">
            Input
          </th>
          {columns.names.map(({ id, text, full }) => (
            <th key={id} scope="col" class="value" aria-sort={sortOf(order, id)}>
              <button type="button" onClick={() => chooseOrder(turned(order, id))}>
                <span class="head-name">
                  <Name text={text} full={full} />
                </span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

function sortOf(order: Order, id: string): "ascending" | "descending" | "none" {
  if (typeof order === "string" || order.evaluation !== id) return "none";
  return order.direction === "asc" ? "ascending" : "descending";
}

function turned(order: Order, evaluation: string): Order {
  return { evaluation, direction: sortOf(order, evaluation) === "descending" ? "asc" : "desc" };
}
