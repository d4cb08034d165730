import type { ExplainedStatement } from "../../src/index.ts";

/** A statement with its bound values, as it is written down. */
export function writeStatement({ sql, params }: Omit<ExplainedStatement, "name">): string {
  const values = params.map(({ type, value }, i) => `-- $${i + 1} ${type} ${JSON.stringify(value)}\n`);
  return `${sql};\n${values.join("")}`;
}
