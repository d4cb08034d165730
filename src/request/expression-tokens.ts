/** An error in an expression, with its position. */
export class ExpressionFault extends Error {
  /** The character of the expression, counted from 1. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** A token of an expression, and the position of its first character, counted from 1. */
export interface Token {
  readonly text: string;
  readonly position: number;
}

const TOKEN =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[\p{L}_$][\p{L}\p{N}_$]*|[=!<>]=|[^\s]/gsu;

/** Splits an expression into tokens; a character that begins no known token is one by itself. */
export function tokenize(expression: string): readonly Token[] {
  return [...expression.matchAll(TOKEN)].map(({ 0: text, index }) => ({ text, position: index + 1 }));
}

/** The greatest nesting depth of brackets. */
export function bracketDepth(tokens: readonly Token[]): number {
  let depth = 0;
  let deepest = 0;
  for (const { text } of tokens) {
    if (text === "(" || text === "[" || text === "{") deepest = Math.max(deepest, ++depth);
    else if (text === ")" || text === "]" || text === "}") depth--;
  }
  return deepest;
}

/** Takes tokens from left to right. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  readonly #end: number;
  #next = 0;

  /** `end` is the position after the last character. */
  constructor(tokens: readonly Token[], end: number) {
    this.#tokens = tokens;
    this.#end = end;
  }

  get atEnd(): boolean {
    return this.#next >= this.#tokens.length;
  }

  get position(): number {
    return this.#tokens[this.#next]?.position ?? this.#end;
  }

  /** Takes the next token. Throws {@link ExpressionFault} at the end, or unless it is `expected` (null: any token). */
  take(expected: string | null): Token {
    const token = this.#tokens[this.#next];
    if (token === undefined || (expected !== null && token.text !== expected)) {
      return this.refuse("is not expected here");
    }
    this.#next++;
    return token;
  }

  /** Throws {@link ExpressionFault} about the next token, or about the end. */
  refuse(reason: string): never {
    const token = this.#tokens[this.#next];
    const subject = token === undefined ? "the end" : JSON.stringify(token.text.slice(0, 40));
    throw new ExpressionFault(`${subject} ${reason}`, this.position);
  }
}
