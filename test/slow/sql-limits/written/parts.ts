/** Costly statements are made of many like parts. */

export function parts(count: number, part: (i: number) => string, between = ", "): string {
  return Array.from({ length: count }, (_, i) => part(i)).join(between);
}

/** Each of `count` table expressions made of the one before; `LAST` in `end` is the last one. */
export function chain(count: number, first: string, next: (before: string) => string, end: string): string {
  const others = parts(count, (i) => `t${i + 1} as (${next(`t${i}`)})`);
  return `with t0 as (${first}), ${others} ${end.replaceAll("LAST", `t${count}`)}`;
}

/** Something in itself so many times, from the inside out. */
export function nest(count: number, inside: string, around: (inside: string) => string): string {
  let text = inside;
  for (let i = 0; i < count; i++) text = around(text);
  return text;
}

export const letters = "abcdefghijklmnopqrstuvwxyz".split("");
