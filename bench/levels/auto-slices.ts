import { adjustingBy, compareAll } from "../../src/respond/compare/compare-all.ts";
import { sliceAll, type SliceChoice } from "../../src/respond/compare/slice-all.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";
import { inputOf } from "./measure.ts";
import { pairSumsOf } from "./pair-sums.ts";

interface Auto {
  readonly fields: number;
  readonly kind: "true/false" | "numbers";
  readonly projects: number;
  readonly seed: number;
}

const ROWS = 120;
const VALUES = 5;
const OPTIONS = { confidence: 0.95, margin: null, adjust: "holm", times: 1 } as const;

/** Share of answers without any difference in which a slice of the field that `auto` shows is called better or worse. */
export async function measureAuto({ fields, kind, projects, seed }: Auto): Promise<number> {
  const random = seededRandom(seed);
  const draw = kind === "numbers" ? () => normal(random) : () => Number(random() < 0.7);
  const choices = Array.from({ length: fields }, (_, i): SliceChoice => ({
    slicing: { fields: [`inputs.f${i}`], slice_count: VALUES, overlapping: false, others: [] },
    values: Array.from({ length: VALUES }, (__, value) => [value]),
  }));
  let wrong = 0;
  for (let project = 0; project < projects; project++) {
    const rows = Array.from({ length: ROWS }, () => ({
      before: draw(),
      after: draw(),
      fields: choices.map(() => Math.floor(VALUES * random())),
    }));
    const sumsOf = (some: typeof rows) =>
      pairSumsOf(
        some.map(({ before }) => before),
        some.map(({ after }) => after),
        { trials: 1, clusters: null },
      );
    const input = inputOf("candidate", sumsOf(rows), kind === "true/false");
    const adjusting = adjustingBy("holm", OPTIONS.confidence);
    const { comparisons } = await compareAll([input], { ...OPTIONS, adjusting, alone: null }, undefined);
    const wholes = comparisons.map((comparison) => ({
      comparison,
      input,
      sums: (choice: number, slice: number) => sumsOf(rows.filter((row) => row.fields[choice] === slice)),
      withField: () => rows.length,
    }));
    const [first, ...others] = choices;
    if (first === undefined) throw new RangeError("auto tries a field");
    const found = await sliceAll(wholes, [first, ...others], OPTIONS, undefined);
    const shown = found.comparisons[0]?.slices ?? [];
    if (shown.some(({ verdict }) => verdict !== "inconclusive")) wrong++;
  }
  return wrong / projects;
}
