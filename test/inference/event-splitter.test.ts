import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEventSplitter, eventData } from "../../src/inference/event-splitter.ts";

const event = fc
  .tuple(
    fc.array(fc.string({ minLength: 1 }).map((text) => text.replaceAll(/[\r\n]/g, "."))),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([lines, feed]) => `${["x", ...lines].join(feed)}${feed}${feed}`);

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
          run.ends.map((end, at) => run.bytes.subarray(run.ends[at - 1] ?? 0, end).toString()),
        );
        expect(found).toEqual(events);
        expect(runs.every(({ bytes: all, ends }) => ends.at(-1) === all.length)).toBe(true);
        expect(splitter.heldBytes).toBe(Buffer.byteLength(tail));
        expect(splitter.takeTail().toString()).toBe(Buffer.from(tail).toString());
        expect(splitter.tail()).toHaveLength(0);
      }),
    );
  });
});

describe("the data of an event", () => {
  it("is its data lines, joined", () => {
    expect(eventData("data: a\ndata:b\r\nid: 1\n\n")).toBe("a\nb");
    expect(eventData(": comment\n\n")).toBeUndefined();
    expect(eventData("data:\n\n")).toBe("");
  });
});
