import { Option } from "commander";
import { isJsonObject } from "../../model/json.ts";
import { usageFault } from "../terminal/failure.ts";
import { readRequest } from "../terminal/input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { memberOption } from "./request-options.ts";

/** The file that `--prices` names. */
export interface PricesOption {
  readonly prices?: string;
}

/** `--prices` and `--costs`. */
export function costOptions(): Option[] {
  return [
    new Option("--prices <file>", "a JSON file: money per million input and output tokens by model").env(
      "EVALCUBE_PRICES",
    ),
    memberOption("costs", "--costs", "show and compare what rows cost, by what calls and prices say"),
  ];
}

const EXAMPLE = '{"small-model": {"input": 0.15, "output": 0.6}}';

/** Reads a file of prices; undefined where none is named. Throws `RequestError` on what is none. */
export async function readPrices({ prices: file }: PricesOption, terminal: Terminal): Promise<unknown> {
  if (file === undefined) return undefined;
  const list = await readRequest(file, terminal);
  const fault = faultOf(list);
  if (fault === null) return list;
  throw usageFault(
    ["--prices"],
    `${file} is no file of prices: ${fault}; it has money per million tokens by model, as ${EXAMPLE}`,
  );
}

function faultOf(list: unknown): string | null {
  if (!isJsonObject(list)) return `it is ${JSON.stringify(list).slice(0, 40)}, not an object`;
  for (const [model, price] of Object.entries(list)) {
    const place = JSON.stringify(model);
    if (!isJsonObject(price)) return `${place} is ${JSON.stringify(price).slice(0, 40)}, not an object`;
    const names = Object.keys(price);
    const other = names.find((name) => name !== "input" && name !== "output");
    if (other !== undefined) return `${place} has ${JSON.stringify(other)}, and prices have input and output`;
    for (const side of ["input", "output"]) {
      const amount = price[side];
      if (typeof amount !== "number" || amount < 0)
        return `${side} of ${place} is ${JSON.stringify(amount) ?? "missing"}, not a number of 0 or more`;
    }
  }
  return null;
}

/** Adds the prices to the request itself, so that an error names the place inside of them. */
export function withPrices(request: unknown, prices: unknown): unknown {
  return prices !== undefined && isJsonObject(request) ? { ...request, prices } : request;
}
