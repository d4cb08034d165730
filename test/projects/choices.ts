import type { Random } from "../../src/stats/numeric/random.ts";

/** The same random choices for both requests of a pair. */
export interface Choices {
  readonly pick: <T>(items: readonly T[]) => T;
  readonly maybe: () => boolean;
}

export function choicesOf(random: Random): Choices {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  };
  return { pick, maybe: () => random() < 0.5 };
}

/** An id or name of the same form and length that nothing has; always the same for the same. */
export function twinOf(text: string): string {
  if (text.includes("zebra")) return text.replace("zebra", "okapi");
  const digit = text.startsWith("f") ? "e" : "f";
  return `${digit}${text.slice(1, 9).replaceAll(/[0-9a-f]/g, "f")}${text.slice(9)}`;
}
