import { Option } from "commander";
import { isJsonObject } from "../../model/json.ts";
import { usageFault } from "../../request/meaningless.ts";
import { readRequest } from "../terminal/input.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { memberOption } from "./request-options.ts";

/** The file that `--prices` names. */
export interface PricesOption {
  readonly prices?: string;
}

export function pricesOption(): Option {
  return new Option("--prices <file>", "a JSON file: money per million input and output tokens by model").env(
    "EVALCUBE_PRICES",
  );
}

/** `--prices` and `--costs`. */
export function costOptions(): Option[] {
  return [
    pricesOption(),
    memberOption("costs", "--costs", "show and compare what rows cost, by what calls and prices say"),
  ];
}

const EXAMPLE = '{"small-model": {"input": 0.15, "output": 0.6}}';

/** Reads a file of prices; undefined where none is named. Throws `RequestError` on what is none. */
export async function readPrices({ prices: file }: PricesOption, terminal: Terminal): Promise<unknown> {
  if (file === undefined) return undefined;
  const list = await readRequest(file, terminal, ["--prices"]);
  const fault = faultOf(list);
  if (fault === null) return list;
  throw usageFault(
    ["--prices"],
    `${file} is no file of prices: ${fault}; it has money per million tokens by model, as ${EXAMPLE}`,
  );
}

function faultOf(list: unknown): string | null {
  if (!isJsonObject(list)) return `it is ${shown(list)}, not an object`;
  for (const [model, price] of Object.entries(list)) {
    if (!isJsonObject(price)) return `${model} is ${shown(price)}, not an object`;
    const other = Object.keys(price).find((name) => !SIDES.includes(name));
    if (other !== undefined) return `${model}.${other} is unknown; a price has input and output`;
    for (const side of SIDES) {
      const amount = price[side];
      if (typeof amount !== "number" || amount < 0)
        return `${model}.${side} is ${shown(amount)}, not a number of 0 or more`;
    }
  }
  return null;
}

const SIDES = ["input", "output"];

function shown(value: unknown): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, 40);
}

/** Adds the prices to the request itself, so that an error names the place inside of them. */
export function withPrices(request: unknown, prices: unknown): unknown {
  return prices !== undefined && isJsonObject(request) ? { ...request, prices } : request;
}
