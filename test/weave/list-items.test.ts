import fc from "fast-check";
import { expect, it } from "vitest";
import { boundFault } from "../../src/model/json-bounds.ts";
import { listItems, nestedItems } from "../../src/model/member-texts.ts";

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

it("the items of lists inside the objects of a list, and the text without them, are those that JSON.parse finds", () => {
  const others = fc.dictionary(fc.string(), fc.jsonValue());
  const group = fc.record({ before: others, items: fc.array(fc.jsonValue()), behind: others });
  fc.assert(
    fc.property(fc.array(group), others, fc.constantFrom(0, 1, "\n\t"), (groups, other, indent) => {
      const objects = groups.map(({ before, items, behind }) => ({ ...before, ...behind, items, end: 1 }));
      const whole = { ...other, groups: objects, end: other };
      const begun: number[] = [];
      const text = JSON.stringify(whole, null, indent);
      const found = nestedItems(text, ["groups", "items"], { bytes: 1e9, values: 1e9 }, (at) =>
        begun.push(at),
      );
      const items: unknown[] = [];
      let next = found.next();
      for (; next.done !== true; next = found.next())
        items.push([next.value[0], next.value[1], JSON.parse(next.value[2])]);
      const expected = objects.flatMap((one, at) => {
        const list = JSON.parse(JSON.stringify(one.items)) as unknown[];
        return Array.isArray(list) ? list.map((item, i) => [at, i, item]) : [];
      });
      expect(items).toEqual(expected);
      expect(begun).toEqual(objects.map((_, at) => at));
      const emptied = objects.map((one) => ({ ...one, items: [] }));
      expect(JSON.parse(next.value)).toEqual(JSON.parse(JSON.stringify({ ...whole, groups: emptied })));
    }),
  );
});

it("strings that no comma parts are beyond the bounds as values are", () => {
  const text = `{"batch":[${'""'.repeat(1000)}]}`;
  const { value } = listItems(text, ["batch"], { bytes: 10_000, values: 3 }).next();
  expect(boundFault(value, { depth: 9, values: 3 })?.bound).toBe("values");
  expect(boundFault(JSON.stringify({ a: "", b: "" }), { depth: 9, values: 3 })).toBe(null);
});

it("a member beyond the bounds before the list is refused, and not gone through", () => {
  const text = `{"x":[${"3,".repeat(1000)}4],"batch":[1]}`;
  expect(() => listItems(text, ["batch"], { bytes: 100, values: 1e9 }).next()).toThrow("more than 100 bytes");
});
