/** How far ticks are apart. Below 1 it is kept as its inverse, so that ticks are exact: 3 / 10, not 3 × 0.1. */
interface Step {
  readonly size: number;
  /** Whether a tick is a whole number divided by `size` instead of one times it. */
  readonly divides: boolean;
}

/** From which error on a step is ten, five or two times the power of ten below it. */
const [TENFOLD, FIVEFOLD, TWOFOLD] = [Math.sqrt(50), Math.sqrt(10), Math.sqrt(2)];

/** The step, one, two or five times a power of ten, that gives nearest to `count` ticks. */
function stepOf(low: number, high: number, count: number): Step {
  const wanted = (high - low) / Math.max(0, count);
  const power = Math.floor(Math.log10(wanted));
  const error = wanted / 10 ** power;
  const factor = error >= TENFOLD ? 10 : error >= FIVEFOLD ? 5 : error >= TWOFOLD ? 2 : 1;
  const [size, divides] = power < 0 ? [10 ** -power / factor, true] : [10 ** power * factor, false];
  const { first, last } = within(low, high, { size, divides });
  return last < first && count >= 0.5 && count < 2 ? stepOf(low, high, count * 2) : { size, divides };
}

/** The whole numbers whose ticks are the outermost ones between two numbers. */
function within(low: number, high: number, step: Step): { readonly first: number; readonly last: number } {
  const rounded = (value: number) => Math.round(step.divides ? value * step.size : value / step.size);
  const [first, last] = [rounded(low), rounded(high)];
  return {
    first: tickAt(first, step) < low ? first + 1 : first,
    last: tickAt(last, step) > high ? last - 1 : last,
  };
}

function tickAt(place: number, { size, divides }: Step): number {
  return divides ? place / size : place * size;
}

/** The distance of ticks between two numbers, the lower one first; at most about `count`. */
export function tickStep(low: number, high: number, count: number): number {
  return tickAt(1, stepOf(low, high, count));
}

/** Round numbers between two numbers, the lower one first; at most about `count`. */
export function ticks(low: number, high: number, count: number): number[] {
  if (low === high) return [low];
  const step = stepOf(low, high, count);
  const { first, last } = within(low, high, step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => tickAt(first + i, step));
}

/** The two numbers, moved outwards to ticks; both as they are where they are the same. */
export function nice(low: number, high: number, count: number): readonly [number, number] {
  let wider: readonly [number, number] = [low, high];
  for (let before = 0; ;) {
    const step = stepOf(...wider, count);
    const size = tickAt(1, step);
    if (size === before || size === 0 || !Number.isFinite(size)) return wider;
    const [below, above] = wider.map((value) => (step.divides ? value * step.size : value / step.size));
    const [first, last] = [Math.ceil(below ?? 0), Math.floor(above ?? 0)];
    wider = [
      tickAt(tickAt(first, step) > wider[0] ? first - 1 : first, step),
      tickAt(tickAt(last, step) < wider[1] ? last + 1 : last, step),
    ];
    before = size;
  }
}
