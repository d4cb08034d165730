import { identifier, sql, type Sql } from "../../store/sql.ts";
import type { Expression } from "../../request/expression.ts";
import { compileCondition } from "./condition.ts";
import { bind, record } from "../relations/spelled.ts";
import { jsonOperand, lazyOperand, type Operand } from "./operand.ts";

interface Uses {
  readonly value: Sql;
  /** The name of the struct member that holds the value. */
  readonly name: string;
  /** How often each reading occurs. */
  readonly counts: Map<keyof Operand, number>;
}

const FIELDS = identifier("fields");
const READINGS = identifier("readings");

/**
 * Compiles a condition that extracts each field from its JSON document once per record, and computes each reading that
 * occurs more than once only once. `json` gives the value of a field, null where it is not in a document.
 */
export function readOnce<Field>(
  expression: Expression<Field>,
  fields: Iterable<Field>,
  operand: (field: Field) => Operand,
  json: (field: Field) => Sql | null,
): Sql {
  const uses = new Map<Field, Uses>();
  for (const field of fields) {
    const value = json(field);
    if (value !== null) uses.set(field, { value, name: `f${uses.size}`, counts: new Map() });
  }
  const all = [...uses.values()];
  const compileWith = (read: (use: Uses) => Operand) =>
    compileCondition(expression, (field) => {
      const use = uses.get(field);
      return use === undefined ? operand(field) : read(use);
    });
  if (all.length === 0) return compileWith(fieldOperand);
  compileWith(counted);
  const repeated = all.flatMap((use) =>
    [...use.counts].flatMap(([reading, count]) =>
      count < 2 ? [] : [{ name: readingName(use, reading), value: fieldOperand(use)[reading] }],
    ),
  );
  const condition = compileWith(shared);
  return bindMembers(
    FIELDS,
    all,
    repeated.length === 0 ? condition : bindMembers(READINGS, repeated, condition),
  );
}

/** Binds the values to members of `variable` in `body`. */
function bindMembers(
  variable: Sql,
  members: readonly { readonly name: string; readonly value: Sql }[],
  body: Sql,
): Sql {
  const named = members.map(({ name, value }) => ({ name: identifier(name), value }));
  return bind(record(named), variable, body);
}

function readingName({ name }: Uses, reading: keyof Operand): string {
  return `${name}_${reading}`;
}

function fieldOperand({ name }: Uses): Operand {
  return jsonOperand(sql`${FIELDS}.${identifier(name)}`);
}

function counted(use: Uses): Operand {
  const { counts } = use;
  return lazyOperand((reading) => {
    counts.set(reading, (counts.get(reading) ?? 0) + 1);
    return fieldOperand(use)[reading];
  });
}

function shared(use: Uses): Operand {
  return lazyOperand((reading) =>
    (use.counts.get(reading) ?? 0) > 1
      ? sql`${READINGS}.${identifier(readingName(use, reading))}`
      : fieldOperand(use)[reading],
  );
}
