import type { ConsensusOf } from "../../src/index.ts";

export type Method = ConsensusOf["consensus"]["method"];
type Ratings = readonly (number | null)[];

const known = (unit: Ratings) => unit.filter((one) => one !== null);

/** What raters say of each unit together, as the definitions have it, unit by unit; null where there is no value. */
export function consensusOf(units: readonly Ratings[], method: Method): (number | null)[] {
  if (method === "mean")
    return units.map((unit) => known(unit).reduce((a, b) => a + b, 0) / known(unit).length);
  if (method === "dawid-skene") return dawidSkene(units);
  return units.map((unit) => {
    const votes = (value: number) => known(unit).filter((one) => one === value).length;
    const most = Math.max(...known(unit).map(votes));
    const winners = [...new Set(known(unit))].filter((value) => votes(value) === most);
    return winners.length === 1 ? (winners[0] ?? null) : null;
  });
}

/** Chances as products, a matrix at a time, until nothing changes any more. */
function dawidSkene(units: readonly Ratings[]): (number | null)[] {
  const classes = [...new Set(units.flatMap(known))];
  let chances = units.map((unit) =>
    classes.map((value) => known(unit).filter((one) => one === value).length / known(unit).length),
  );
  for (let step = 0; step < 3000; step++) {
    const weight = (c: number, keep: (unit: Ratings) => boolean) =>
      units.reduce((all, unit, u) => all + (keep(unit) ? (chances[u]?.[c] ?? 0) : 0), 0);
    const raters = (units[0] ?? []).map((_, r) =>
      classes.map((_value, c) => {
        const all = weight(c, (unit) => unit[r] !== null);
        return new Map(classes.map((said) => [said, weight(c, (unit) => unit[r] === said) / all]));
      }),
    );
    const prior = classes.map((_, c) => weight(c, () => true) / units.length);
    const next = units.map((unit) => {
      const weights = prior.map((share, c) =>
        unit.reduce<number>(
          (all, said, r) => (said === null ? all : all * (raters[r]?.[c]?.get(said) ?? 0)),
          share,
        ),
      );
      const total = weights.reduce((a, b) => a + b, 0);
      return weights.map((one) => one / total);
    });
    const before = chances.flat();
    const moved = next.flat().some((one, i) => Math.abs(one - (before[i] ?? 0)) > 1e-12);
    chances = next;
    if (!moved) break;
  }
  return chances.map((own) => {
    const [first, second] = own.map((chance, c) => ({ chance, c })).toSorted((a, b) => b.chance - a.chance);
    if (first === undefined || first.chance - (second?.chance ?? -1) < 1e-6) return null;
    return classes[first.c] ?? null;
  });
}
