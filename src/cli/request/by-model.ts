import type { Option } from "commander";
import type { UsageBy, WhereValue } from "../../index.ts";
import { collect } from "../options/options.ts";
import { usageFault } from "../../request/meaningless.ts";
import { memberOption } from "./request-options.ts";

/** Options of commands that take evaluations together by model; `by` says what `--by` is for. */
export function modelOptions(by: string, describes = false): Option[] {
  return [
    ...byOptions(by, describes),
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

/**
 * `--by`, repeatable; `what` says what else than fields it takes. Of comparisons it takes what rows took, too, with
 * `--by-of`.
 */
export function byOptions(what = "", describes = true, compares = !describes): Option[] {
  const details = describes ? "; output.details.<path> describes trials" : "";
  const usage = compares ? "usage:steps.count or usage:total_tokens:5 (slices by what rows took), " : "";
  const fields = `inputs.<path> or attributes.<path>, whose values are slices; at most two${details}`;
  const by = memberOption(
    "by",
    "--by <field>",
    `${what}${usage}${fields}`,
    compares ? fieldsOrUsage : undefined,
  );
  const of =
    "with usage: the run that says what rows took, none of the two compared (the one before the baseline)";
  const byOf = memberOption("by", "--by-of <id>", of, (name: string) => ({ of: name }));
  return compares ? [by.argParser(collect), byOf] : [by.argParser(collect)];
}

const USAGE = "usage:";

/** Fields as they are, or what rows took: `usage:steps.count:5`. Throws `RequestError` where both are there. */
function fieldsOrUsage(texts: readonly string[]): readonly string[] | UsageBy {
  const [text = "", ...others] = texts.toSorted(
    (a, b) => Number(b.startsWith(USAGE)) - Number(a.startsWith(USAGE)),
  );
  if (!text.startsWith(USAGE)) return texts;
  if (others.length > 0)
    throw usageFault(["--by"], `${JSON.stringify(text)} stands alone; leave the others out`);
  const [, usage = "", bins] = /^usage:(.*?)(?::(\d{1,9}))?$/s.exec(text) ?? [];
  return { usage, ...(bins === undefined ? {} : { bins: Number(bins) }) };
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
