import fc from "fast-check";
import { expect, it } from "vitest";
import { listItems } from "../../src/model/member-texts.ts";

function read(text: string, names: readonly string[]): { readonly items: unknown[]; readonly rest: unknown } {
  const items: unknown[] = [];
  const found = listItems(text, names);
  let next = found.next();
  for (; next.done !== true; next = found.next()) items.push(JSON.parse(next.value));
  return { items, rest: JSON.parse(next.value) };
}

it("the items of a list inside an object, and the object without them, are those that JSON.parse finds", () => {
  const names = fc.constantFrom("batch", "rows", 'a"b', "é");
  const others = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(
      others,
      names,
      fc.array(fc.jsonValue()),
      others,
      fc.constantFrom(0, 1, "\n\t"),
      (...drawn) => {
        const [before, name, list, behind, indent] = drawn;
        const whole = { ...before, table: { ...behind, [name]: list, end: before } };
        const { items, rest } = read(JSON.stringify(whole, null, indent), ["table", name]);
        expect(JSON.stringify(items)).toBe(JSON.stringify(list));
        expect(rest).toEqual(JSON.parse(JSON.stringify({ ...whole, table: { ...whole.table, [name]: [] } })));
      },
    ),
  );
});

it("of an item beyond the bounds comes no more than may be refused at once", () => {
  const text = `{"batch":[[1,2],[${"3,".repeat(1000)}4]]}`;
  const itemsWithin = (bytes: number, values: number) => {
    const found = listItems(text, ["batch"], { bytes, values });
    return [found.next().value, found.next().value];
  };
  expect(itemsWithin(10, Infinity)).toEqual(["[1,2]", "[3,3,3,3,3,"]);
  expect(itemsWithin(10, 3)).toEqual(["[1,2]", "[3,3,3,3,3,"]);
});

function isRefused(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

it("a text that JSON.parse refuses is refused, wherever it is damaged", () => {
  const text = JSON.stringify({ id: "x", batch: [{ a: [1, "]"] }, "\\", null, [2]], end: { b: 1 } });
  const put = fc.constantFrom("", "{", "}", "[", "]", ",", ":", '"', "\\", "7");
  const passed: string[] = [];
  fc.assert(
    fc.property(fc.nat(text.length - 1), put, (at, one) => {
      const damaged = text.slice(0, at) + one + text.slice(at + 1);
      if (isRefused(() => JSON.parse(damaged)) && !isRefused(() => read(damaged, ["batch"])))
        passed.push(damaged);
    }),
    { numRuns: 2000 },
  );
  expect(passed).toEqual([]);
});

it("an object without such a list is refused", () => {
  for (const text of ["", "[]", "{}", '{"batch":{}}', '{"table":[]}', "null"])
    expect(() => read(text, ["batch"])).toThrow(SyntaxError);
});
