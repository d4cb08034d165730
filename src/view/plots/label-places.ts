/** A dot with a label, in pixels of a picture of a usual width. */
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

const PLACES: readonly LabelPlace[] = [
  { dx: 8, dy: 4, anchor: "start" },
  { dx: -8, dy: 4, anchor: "end" },
  { dx: 0, dy: -9, anchor: "middle" },
  { dx: 0, dy: 17, anchor: "middle" },
  { dx: 8, dy: -8, anchor: "start" },
  { dx: -8, dy: -8, anchor: "end" },
  { dx: 8, dy: 16, anchor: "start" },
  { dx: -8, dy: 16, anchor: "end" },
  { dx: 8, dy: 29, anchor: "start" },
  { dx: -8, dy: -21, anchor: "end" },
];

/** A place for each label such that it covers few others, and stays in the picture. */
export function labelPlaces(dots: readonly LabelledDot[], width: number, height: number): LabelPlace[] {
  const taken: Box[] = dots.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  return dots.map((dot, i) => {
    const own = taken[i];
    const costs = PLACES.map((place) => {
      const box = boxOf(dot, place);
      const covered = taken.filter((other) => other !== own && overlap(box, other)).length;
      const outside = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height;
      return covered + (outside ? 100 : 0);
    });
    const best = PLACES[costs.indexOf(Math.min(...costs))] ?? { dx: 8, dy: 4, anchor: "start" };
    taken.push(boxOf(dot, best));
    return best;
  });
}

function boxOf({ x, y, text }: LabelledDot, { dx, dy, anchor }: LabelPlace): Box {
  const width = text.length * CHARACTER;
  const left = x + dx - (anchor === "start" ? 0 : anchor === "end" ? width : width / 2);
  return { left, right: left + width, top: y + dy - HEIGHT + 3, bottom: y + dy + 3 };
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
