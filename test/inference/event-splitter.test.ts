import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followCompletion } from "../../src/inference/reply/completion-progress.ts";
import { createEventSplitter, eventData, type EventRun } from "../../src/inference/reply/event-splitter.ts";

/** Prints with every failure; another one by SEED=. */
const SEED = Number(process.env["SEED"] ?? 20260101);

const event = fc
  .tuple(
    fc.array(fc.string({ minLength: 1 }).map((text) => text.replaceAll(/[\r\n]/g, "."))),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([lines, feed]) => `${["x", ...lines].join(feed)}${feed}${feed}`);

function bytesOf({ pieces }: EventRun): Buffer {
  return Buffer.concat(pieces);
}

describe("the splitter", () => {
  it("finds the same events however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(event), fc.string(), fc.array(fc.nat()), (events, rest, cuts) => {
        const tail = `y${rest.replaceAll(/[\r\n]/g, ".")}`;
        const bytes = Buffer.from(events.join("") + tail);
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const splitter = createEventSplitter();
        const runs = places.slice(1).flatMap((end, at) => splitter.push(bytes.subarray(places[at], end)));
        const found = runs.flatMap((run) =>
          run.ends.map((end, at) =>
            bytesOf(run)
              .subarray(run.ends[at - 1] ?? 0, end)
              .toString(),
          ),
        );
        expect(found).toEqual(events);
        expect(runs.every((run) => run.ends.at(-1) === bytesOf(run).length)).toBe(true);
        expect(splitter.heldBytes).toBe(Buffer.byteLength(tail));
        expect(Buffer.concat(splitter.takeTail()).toString()).toBe(Buffer.from(tail).toString());
        expect(splitter.tail()).toHaveLength(0);
      }),
      { seed: SEED },
    );
  });
});

describe("the progress of a completion", () => {
  it("is the same however its events are cut", () => {
    const members = fc.record(
      {
        usage: fc.constantFrom(null, { prompt_tokens: 3, completion_tokens: 4 }),
        error: fc.constantFrom(null, { message: "boom" }),
        choices: fc.array(
          fc.record({
            index: fc.constantFrom(0, 1),
            finish_reason: fc.constantFrom(null, "stop"),
            delta: fc.record({ content: fc.string({ maxLength: 100 }) }),
          }),
        ),
      },
      { requiredKeys: [] },
    );
    const events = fc.array(
      fc.oneof(
        members.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
        fc.constant("data: [DONE]\n\n"),
      ),
    );
    const property = fc.property(
      events,
      fc.array(fc.nat()),
      fc.constantFrom(1, 2),
      (texts, cuts, choices) => {
        const whole = followCompletion(choices);
        const cut = followCompletion(choices);
        for (const bytes of texts.map((text) => Buffer.from(text))) {
          const places = [0, ...cuts.map((at) => at % bytes.length).toSorted((a, b) => a - b), bytes.length];
          whole.see([bytes]);
          cut.see(places.slice(1).map((end, at) => bytes.subarray(places[at], end)));
        }
        expect({ ...cut, see: null }).toEqual({ ...whole, see: null });
      },
    );
    fc.assert(property, { seed: SEED });
  });
});

describe("the data of an event", () => {
  it("is its data lines, joined", () => {
    expect(eventData("data: a\ndata:b\r\nid: 1\n\n")).toBe("a\nb");
    expect(eventData(": comment\n\n")).toBeUndefined();
    expect(eventData("data:\n\n")).toBe("");
  });
});
