import { expect } from "vitest";
import { processorTime } from "../support/processor-time.ts";

/** What texts are made of. */
const PARTS = {
  blanks: " ",
  letters: "k",
  dots: ".",
  quotes: '"',
  brackets: "[",
  digits: "7",
  "a.a.a": "a.",
  "nested (": "(",
};

const LARGEST = 100_000;
/** A time below this is not judged, in milliseconds of processor time. */
const SHORT = 300;
const MOST_GROWTH = 15;
const LONGEST = 20_000;

/** A text of each kind, with what the kind is called. */
export function textsOf(characters: number): [kind: string, text: string][] {
  return Object.entries(PARTS).map(([kind, part]) => [kind, part.repeat(characters / part.length)]);
}

/**
 * Asks with texts of 100 KB, and with shorter ones where that takes long: its time may not grow much faster than the text. `start` is what
 * it takes without any, in milliseconds.
 */
export async function expectSteady(
  name: string,
  ask: (text: string) => Promise<void>,
  start = 0,
): Promise<void> {
  for (const [kind, part] of Object.entries(PARTS)) {
    const timed = async (characters: number) => {
      const time = processorTime();
      try {
        await ask(part.repeat(characters / part.length));
      } catch (cause) {
        throw new Error(`${name} with ${characters} characters, ${kind}`, { cause });
      }
      return time() - start;
    };
    const longest = await timed(LARGEST);
    expect(longest, `${name}, ${kind}`).toBeLessThan(LONGEST);
    // Once more: the first may have met other work.
    const again = longest < SHORT ? longest : Math.min(longest, await timed(LARGEST));
    if (again < SHORT) continue;
    const shorter = await timed(LARGEST / 10);
    expect(again / Math.max(shorter, 1), `${name}, ${kind}`).toBeLessThanOrEqual(MOST_GROWTH);
    if (shorter >= SHORT)
      expect(shorter / Math.max(await timed(LARGEST / 100), 1), `${name}, ${kind}`).toBeLessThanOrEqual(
        MOST_GROWTH,
      );
  }
}

/** As much of a JSON schema as tells where texts are. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** A place for a text: the steps to it; `null` as the last is the name of a member. */
export type Place = readonly (string | number | null)[];

const DEEPEST = 7;

/** The places of a schema that take a text, names of members of free objects too; each named schema once on a way. */
export function textPlaces(
  schema: Schema,
  resolve: (reference: string) => Schema,
  above: Place = [],
  seen: readonly string[] = [],
): Place[] {
  if (above.length > DEEPEST) return [];
  const below = (inner: Schema, ...steps: Place) => textPlaces(inner, resolve, [...above, ...steps], seen);
  if (schema.$ref !== undefined)
    return seen.includes(schema.$ref)
      ? []
      : textPlaces(resolve(schema.$ref), resolve, above, [...seen, schema.$ref]);
  const types = [schema.type ?? []].flat();
  const isAny = types.length === 0 && Object.keys(schema).every((name) => name === "description");
  const { additionalProperties: others } = schema;
  const isFree =
    others === true || typeof others === "object" || (types.includes("object") && others !== false);
  return [
    ...((types.includes("string") && schema.enum === undefined) || isAny ? [above] : []),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => below(one)),
    ...(schema.items === undefined ? [] : below(schema.items, 0)),
    ...(schema.prefixItems ?? []).flatMap((one, i) => below(one, i)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => below(one, name)),
    ...(isFree ? [[...above, null]] : []),
    ...(typeof others === "object" ? below(others, "member") : []),
  ];
}

/** The value with a text at a place. */
export function withText(value: unknown, [step, ...rest]: Place, text: string): unknown {
  if (step === undefined) return text;
  if (step === null) return { ...Object(value), [text]: 1 };
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [];
    list[step] = withText(list[step], rest, text);
    return Array.from(list, (one) => one ?? { $literal: 1 });
  }
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  // An operator is the only member of its object.
  const others = step.startsWith("$") ? {} : object;
  return { ...others, [step]: withText((object as Record<string, unknown>)[step], rest, text) };
}
