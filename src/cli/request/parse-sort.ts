import type { InputPath } from "../../errors.ts";
import { usageFault } from "./usage-fault.ts";

/** What may follow the field; evaluations that differ most come first. */
const ORDERS = {
  asc: { direction: "asc" },
  desc: { direction: "desc" },
  difference: { mode: "difference", direction: "desc" },
};

/** Reads `FIELD[:asc|desc|difference]` as a sort key of a request. `place` names the flag in errors. */
export function parseSort(text: string, place: InputPath): object {
  const [, field = text, order = "asc"] = /^(.*):([^:]*)$/s.exec(text) ?? [];
  if (!isOrder(order))
    throw usageFault(
      place,
      `there is no order ${JSON.stringify(order)}; there are ${Object.keys(ORDERS).join(", ")}, and a field with a colon needs one of them after it`,
    );
  return { field, ...ORDERS[order] };
}

function isOrder(text: string): text is keyof typeof ORDERS {
  return Object.hasOwn(ORDERS, text);
}
