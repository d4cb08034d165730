import { Option } from "commander";
import type { TaskWeights, WhereValue } from "../../index.ts";
import { usageFault } from "./usage-fault.ts";

/** Flags of commands that take evaluations together by model. */
export interface ModelFlags {
  readonly by?: "evaluation" | "model";
  readonly where?: readonly string[];
  readonly weights?: TaskWeights;
}

/** The options of these commands; `by` says what `--by` is for. */
export function modelOptions(by: string): Option[] {
  return [
    new Option("--by <what>", by).choices(["evaluation", "model"]),
    new Option("--where <field=value...>", "evaluations to keep, such as attributes.branch=main"),
    new Option("--weights <what>", "pools the tasks of a model: by their rows, or all tasks alike").choices([
      "rows",
      "tasks",
    ]),
  ];
}

/** The members of a request that these flags give. */
export function modelMembers({ by, where, weights }: ModelFlags) {
  return {
    by: ["--by", by],
    where: ["--where", where === undefined ? undefined : conditions(where)],
    weights: ["--weights", weights],
  } as const;
}

/** Reads conditions such as `attributes.branch=main`; a field that is named twice may have either value. */
function conditions(texts: readonly string[]): Record<string, WhereValue[]> {
  const fields = new Map<string, WhereValue[]>();
  for (const [i, text] of texts.entries()) {
    const [, field, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (field === undefined || value === undefined)
      throw usageFault(
        ["--where", i],
        `it takes FIELD=VALUE, such as attributes.branch=main, not ${JSON.stringify(text)}`,
      );
    fields.set(field, [...(fields.get(field) ?? []), scalar(value)]);
  }
  return Object.fromEntries(fields);
}

/** A JSON number, boolean, null or string, otherwise the text itself. */
function scalar(text: string): WhereValue {
  try {
    const value: unknown = JSON.parse(text);
    const isScalar = value === null || ["string", "number", "boolean"].includes(typeof value);
    return isScalar ? (value as WhereValue) : text;
  } catch {
    return text;
  }
}
