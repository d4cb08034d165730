import type { Option } from "commander";
import type { WhereValue } from "../../index.ts";
import { collect } from "../options/options.ts";
import { usageFault } from "../../request/meaningless.ts";
import { memberOption } from "./request-options.ts";

/** Options of commands that take evaluations together by model; `by` says what `--by` is for. */
export function modelOptions(by: string, describes = false): Option[] {
  return [
    byOption(by, describes),
    memberOption(
      "where",
      "--where <field=value...>",
      "evaluations to keep, such as attributes.branch=main",
      conditions,
    ),
    memberOption(
      "weights",
      "--weights <what>",
      "pools the tasks of a model: by their rows, or all tasks alike",
    ).choices(["rows", "tasks"]),
  ];
}

/** `--by`, repeatable; `what` says what else than fields it takes. */
export function byOption(what = "", describes = true): Option {
  const details = describes ? "; output.details.<path> describes trials" : "";
  const fields = `inputs.<path> or attributes.<path>, whose values are slices; at most two${details}`;
  return memberOption("by", "--by <field>", `${what}${fields}`).argParser(collect);
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
