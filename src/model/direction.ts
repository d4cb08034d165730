import { fieldText } from "./field-path.ts";
import { isJsonObject, parseJson, type Json } from "./json.ts";

/** Which way a score is good; null where nobody says. */
export type Direction = "higher" | "lower" | null;

/**
 * Which way scores are good, by dimension as requests name it, or by what several begin with: `length`, `style.length`.
 */
export type Directions = Readonly<Record<string, "higher" | "lower">>;

/** Directions that attributes of an evaluation state; members that are neither `higher` nor `lower` state none. */
export function statedDirections(attributes: Json): Directions {
  const stated = isJsonObject(attributes) ? (attributes["directions"] ?? null) : null;
  const entries = Object.entries(isJsonObject(stated) ? stated : {});
  return Object.fromEntries(entries.filter((one): one is [string, "higher" | "lower"] => isSide(one[1])));
}

/** The same of attributes as JSON text. */
export function storedDirections(attributes: string | null): Directions {
  return attributes?.includes('"directions"') === true ? statedDirections(parseJson(attributes)) : {};
}

/**
 * Directions of scores by their own names, of those that say whether higher is better: anything but true and false says
 * nothing.
 */
export function directionsOf(scores: readonly (readonly [name: string, isHigher: unknown])[]): Directions {
  return Object.fromEntries(
    scores.flatMap(([name, isHigher]) =>
      typeof isHigher === "boolean" ? [[fieldText([name]), isHigher ? "higher" : "lower"] as const] : [],
    ),
  );
}

function isSide(value: unknown): boolean {
  return value === "higher" || value === "lower";
}

/** What is stated of a dimension, the longest name first. A dot in a name need not be escaped. */
export function directionIn(directions: Directions, path: readonly string[]): Direction {
  for (let length = path.length; length > 0; length--) {
    const own = path.slice(0, length);
    const name = [fieldText(own), own.join(".")].find((one) => Object.hasOwn(directions, one));
    if (name !== undefined) return directions[name] ?? null;
  }
  return null;
}
