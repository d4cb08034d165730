import { createRequire } from "node:module";
import type { SourceFiles } from "./source-graph.ts";

/** The part of TypeScript's parser that is used: TypeScript 7 has none for programs, api-extractor brings one that has. */
interface Parser {
  readonly ScriptTarget: { readonly Latest: number };
  readonly SyntaxKind: Readonly<Record<string, number>>;
  createSourceFile(name: string, text: string, target: number, parents: boolean): Syntax;
}

interface Syntax {
  readonly kind: number;
  getChildren(file: Syntax): readonly Syntax[];
  getStart(file: Syntax): number;
  getEnd(): number;
}

/** A place in the text of a file. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const own = createRequire(import.meta.url);
const parser = createRequire(own.resolve("@microsoft/api-extractor/package.json"))("typescript") as Parser;

const { SyntaxKind } = parser;
const TEXTS = new Set(
  [
    "StringLiteral",
    "NoSubstitutionTemplateLiteral",
    "TemplateExpression",
    "RegularExpressionLiteral",
    "JsxText",
  ].map((name) => SyntaxKind[name]),
);

/** The tokens of a file, imports left out, and its texts and patterns, which no line break can shorten. */
export function tokensOf(name: string, text: string) {
  const file = parser.createSourceFile(name, text, parser.ScriptTarget.Latest, true);
  const found = { tokens: 0, texts: [] as Span[] };
  const visit = (node: Syntax): void => {
    if (node.kind === SyntaxKind["ImportDeclaration"]) return;
    const children = node.getChildren(file);
    const [start, end] = [node.getStart(file), node.getEnd()];
    if (children.length === 0 && end > start) found.tokens++;
    if (TEXTS.has(node.kind)) found.texts.push({ start, end });
    children.forEach(visit);
  };
  visit(file);
  return found;
}

/** Lines of code or comment over so many characters, as `file:line`; those that one text or pattern makes long are `excepted`. */
export function wideLines(files: SourceFiles, most: number) {
  const found = { wide: [] as string[], excepted: [] as string[] };
  for (const [name, text] of files) {
    let start = 0;
    const lines = text.split("\n");
    const texts = lines.some(({ length }) => length > most) ? tokensOf(name, text).texts : [];
    for (const [i, line] of lines.entries()) {
      const end = start + line.length;
      const over = line.length - most;
      const isExcepted = texts.some((one) => Math.min(one.end, end) - Math.max(one.start, start) >= over);
      if (over > 0) (isExcepted ? found.excepted : found.wide).push(`${name}:${i + 1}`);
      start = end + 1;
    }
  }
  return found;
}

const DECLARED =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/** Exported names that three files or more declare, with how many do. */
export function sharedNames(files: SourceFiles): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of files.values())
    for (const name of new Set(Array.from(text.matchAll(DECLARED), ([, one = ""]) => one)))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count >= 3).toSorted(([, a], [, b]) => b - a));
}
