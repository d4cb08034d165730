import type { DataType } from "apache-arrow";

/**
 * Makes functions of another copy of apache-arrow throw where they write or copy a table with this type. They do not
 * recognise the type and would leave its data out without an error. Before that, they ask it for its own `type`, which
 * nothing else does.
 */
export function refuseForeignCopies(type: DataType): DataType {
  return Object.defineProperty(type, "type", { get: refuse });
}

function refuse(): never {
  throw new TypeError(
    "this table was made by another copy of apache-arrow than the function that it was given to; take the function from evalcube/arrow",
  );
}
