import { expect, it } from "vitest";
import { z } from "zod";
import { checkArgument, projectId } from "../../src/model/arguments.ts";
import { nearestWords } from "../../src/model/nearest.ts";
import { shown } from "../../src/model/messages.ts";

const circle: Record<string, unknown> = {};
circle["self"] = circle;
let deep: unknown = [];
for (let depth = 0; depth < 20_000; depth++) deep = [deep];

it.each([
  ["acme", '"acme"'],
  ["x".repeat(200), `"${"x".repeat(79)}…"`],
  [5, "5"],
  [undefined, "undefined"],
  [{ a: [1, null], b: "c" }, '{"a":[1,null],"b":"c"}'],
  [Array.from({ length: 1_000_000 }, () => 1), `[${"1,".repeat(39)}1…`],
])("a value is shown as JSON, cut at 80 characters: %#", (value, text) => {
  expect(shown(value)).toBe(text);
});

it.each([[circle], [deep]])("a value without end is shown by its beginning", (value) => {
  expect(shown(value).length).toBeLessThan(90);
});

const schema = z.strictObject({
  project_id: projectId,
  size: z.number().max(5).optional(),
  password: z.string().optional(),
});

it.each([
  [{ project_id: "acme" }, 'project_id: must be ENTITY/PROJECT, without control characters, not "acme"'],
  [{ project_id: 5 }, "project_id: expected string, not 5"],
  [{}, "project_id: is required; expected string"],
  [{ project_id: "a/b", size: 7 }, "size: must be at most 5, not 7"],
  [{ project_id: "a/b", password: 1234 }, "password: Invalid input: expected string, received number"],
])("a refusal says what was given: %j", (value, message) => {
  expect(() => checkArgument(value, schema)).toThrow(message);
});

it("a missing argument is required", () => {
  expect(() => checkArgument(undefined, projectId, ["project_id"])).toThrow(
    /^project_id: is required; expected string$/,
  );
});

it("a name without one of its parts means the first that has it", () => {
  expect(nearestWords("evaluation_ids", ["evaluation_call_ids", "evaluation_run_ids"], 1)).toEqual([
    "evaluation_call_ids",
  ]);
});
