import fc from "fast-check";
import { expect, it } from "vitest";
import type { ShownStep } from "../../../src/respond/steps/trial.ts";
import { numberedSteps } from "../../../src/view/rows/numbered-steps.ts";

const SIGNAL = new AbortController().signal;

it("finds steps by their numbers, wherever frames stand between them", async () => {
  const places = fc.array(fc.boolean(), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(places, fc.nat(300), fc.nat(60), async (isFrame, start, count) => {
      let number = 0;
      const all = isFrame.map((frame) => ({ step: frame ? null : ++number }) as ShownStep);
      const [from, to] = [start + 1, start + 1 + count];
      const needed = new Set<number>();
      const steps = {
        held: all.length,
        at: (place: number) => (needed.has(place) ? all[place] : undefined),
        need: async (first: number, end: number) => {
          for (let place = first; place < end; place++) needed.add(place);
        },
      };
      const found = await numberedSteps(steps, from, to, SIGNAL);
      const wanted = all.flatMap((step, place) =>
        step.step !== null && step.step >= from && step.step <= to
          ? [[step.step, { place, step }] as const]
          : [],
      );
      expect([...found]).toEqual(wanted);
    }),
  );
});
