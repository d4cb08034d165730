/** One statement of a rolled up file of declarations. */
interface Statement {
  readonly text: string;
  /** What it declares or imports; null for an empty export. */
  readonly name: string | null;
  readonly exported: boolean;
  readonly type: boolean;
}

const DECLARED = /^(?:\/\*\*.*?\*\/\n)?(export )?declare (?:abstract )?(\w+) (\w+)/s;
const IMPORTED = /^import (?:type )?(?:\{ |\* as )?(?:\w+ as )?(\w+)/;

/**
 * The declarations of an entry without the types that `index` exports word for word: these are imported from there, so
 * the package has them once. What only they need goes with them.
 */
export function withoutRepeated(text: string, index: string): string {
  const own = statementsOf(text);
  const offered = new Set(statementsOf(index).flatMap((one) => (one.exported ? [wordsOf(one)] : [])));
  const repeated = own.filter((one) => one.type && offered.has(wordsOf(one)));
  if (repeated.length === 0) return text;
  const kept = needed(own.filter((one) => !repeated.includes(one)));
  const passed = repeated.filter(({ exported }) => exported);
  const used = repeated.filter((one) => kept.some(({ text: user }) => mentions(user, one)));
  const lines = [
    ...(used.length === 0 ? [] : [`import type { ${namesOf(used)} } from "./index.cjs";`]),
    ...(passed.length === 0 ? [] : [`export type { ${namesOf(passed)} } from "./index.cjs";`]),
  ];
  return `${[lines.join("\n"), ...kept.map((one) => one.text)].join("\n\n")}\n`;
}

/** Statements begin at the start of a line, after an empty one; imports follow one another. */
function statementsOf(text: string): Statement[] {
  const parts = text.trim().split(/\n\n(?=\S)|\n(?=import )/);
  return parts.map((part) => {
    const [, exported, kind = "", declared] = DECLARED.exec(part) ?? [];
    const name = declared ?? IMPORTED.exec(part)?.[1] ?? null;
    const type = kind === "interface" || kind === "type";
    return { text: part, name, exported: exported !== undefined, type };
  });
}

const wordsOf = ({ text, exported }: Statement) => (exported ? text.replace(/^export /m, "") : text);

const namesOf = (statements: readonly Statement[]) => statements.map(({ name }) => name).join(", ");

const mentions = (text: string, { name }: Statement) =>
  name !== null && new RegExp(`\\b${name}\\b`).test(text.replaceAll(/\/\*\*.*?\*\//gs, ""));

/** What is exported, and what that needs. */
function needed(all: readonly Statement[]): Statement[] {
  const found = new Set(all.filter(({ exported, name }) => exported || name === null));
  for (const user of found) for (const one of all) if (mentions(user.text, one)) found.add(one);
  return all.filter((one) => found.has(one));
}
