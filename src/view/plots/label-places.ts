/** A dot with a label: how far it is from the left as a share of the width, and from the top in pixels. */
interface LabelledDot {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Where a label is beside its dot. */
interface LabelPlace {
  readonly dx: number;
  readonly dy: number;
  readonly anchor: "start" | "middle" | "end";
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const CHARACTER = 6.2;
const HEIGHT = 13;
/** Half of the width of a dot, with the room that it needs. */
const DOT = 6;
/** How many lines away a label may be. */
const LINES = 6;
/** Widths that a picture has on pages of 400 and 1280 pixels, with another beside it and alone. */
const WIDTHS = [290, 490, 1080];

/** Nearest first: beside, above and below, then by lines further away. */
const PLACES: readonly LabelPlace[] = [
  { dx: 9, dy: 4, anchor: "start" },
  { dx: -9, dy: 4, anchor: "end" },
  ...Array.from({ length: LINES }, (_, i): LabelPlace[] => {
    const [above, below] = [-10 - i * HEIGHT, 18 + i * HEIGHT];
    return [above, below].flatMap((dy) => [
      { dx: 0, dy, anchor: "middle" },
      { dx: 9, dy, anchor: "start" },
      { dx: -9, dy, anchor: "end" },
    ]);
  }).flat(),
];

/**
 * A place for each label such that it crosses no dot, covers few other labels, and stays in the picture where it can,
 * however wide that is; null where each place crosses a dot.
 */
export function labelPlaces(dots: readonly LabelledDot[], height: number): (LabelPlace | null)[] {
  const pictures = WIDTHS.map((width) => ({
    width,
    marks: dots.map(({ x, y }) => boxAround(x * width, y)),
    labels: [] as Box[],
  }));
  return dots.map((dot) => {
    const best = { place: null as LabelPlace | null, cost: Infinity };
    for (const place of PLACES) {
      const costs = pictures.map(({ width, marks, labels }) => {
        const box = boxOf(dot, place, width);
        if (marks.some((mark) => overlap(box, mark))) return Infinity;
        const outside = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height;
        return labels.filter((other) => overlap(box, other)).length + (outside ? 2 : 0);
      });
      const cost = costs.reduce((sum, one) => sum + one, 0);
      if (cost < best.cost) Object.assign(best, { place, cost });
    }
    const { place } = best;
    if (place !== null) for (const { width, labels } of pictures) labels.push(boxOf(dot, place, width));
    return place;
  });
}

function boxAround(x: number, y: number): Box {
  return { left: x - DOT, right: x + DOT, top: y - DOT, bottom: y + DOT };
}

function boxOf({ x, y, text }: LabelledDot, { dx, dy, anchor }: LabelPlace, width: number): Box {
  const long = text.length * CHARACTER;
  const left = x * width + dx - (anchor === "start" ? 0 : anchor === "end" ? long : long / 2);
  return { left, right: left + long, top: y + dy - HEIGHT + 3, bottom: y + dy + 3 };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
