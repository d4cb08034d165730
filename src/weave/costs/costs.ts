import { v7 as uuidv7 } from "uuid";
import { checkArgument } from "../../model/arguments.ts";
import { writeJson } from "../../model/json.ts";
import { memberTexts, textAt } from "../../model/member-texts.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { now, writeRecords } from "../../store/records.ts";
import type { RecordStore } from "../../store/session.ts";
import { identifier, join, loaded, sql, text, type SqlType, type SqlValue } from "../../store/sql.ts";
import { idsOf, purgeRequest } from "../conditions/named-ids.ts";
import { selectRecords } from "../conditions/select-records.ts";
import { authorize, readRequest, schemaFault } from "../request/read-request.ts";
import { writeListAnswer } from "../request/long-answers.ts";
import type { WeaveCaller } from "../request/seam.ts";
import { createCostsRequest, priceSchema, queryCostsRequest } from "./requests.ts";

/**
 * Prices of a project, per token: what calls cost that do not state it. Requests and answers are JSON texts.
 */
export interface WeaveCosts {
  /** Stores prices durably in one transaction; answers `{ ids: [[id, model], …] }` in the order sent. */
  readonly createCosts: (request: string, caller: WeaveCaller) => Promise<string>;
  /** The prices of a project that a condition selects, in pieces; without an order the oldest first. */
  readonly queryCosts: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
  /** Deletes prices of a project by id, for good; answers `{}`. */
  readonly purgeCosts: (request: string, caller: WeaveCaller) => Promise<string>;
}

/** A price by the names of the SDKs; times in microseconds. */
type Price = Readonly<Record<keyof typeof COLUMNS, SqlValue>>;

/** The columns of prices by the names of the SDKs. */
const COLUMNS = {
  id: ["id", "VARCHAR"],
  llm_id: ["model", "VARCHAR"],
  provider_id: ["provider", "VARCHAR"],
  effective_date: ["effective_date", "BIGINT"],
  prompt_token_cost: ["prompt", "DOUBLE"],
  completion_token_cost: ["completion", "DOUBLE"],
  cache_read_input_token_cost: ["cache_read", "DOUBLE"],
  cache_creation_input_token_cost: ["cache_creation", "DOUBLE"],
  prompt_token_cost_unit: ["prompt_unit", "VARCHAR"],
  completion_token_cost_unit: ["completion_unit", "VARCHAR"],
  created_at: ["created_at", "BIGINT"],
  created_by: ["created_by", "VARCHAR"],
} as const satisfies Readonly<Record<string, readonly [column: string, type: SqlType]>>;

const MEMBERS = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[];
const FIELDS: ReadonlySet<string> = new Set([...MEMBERS, "pricing_level", "pricing_level_id"]);

export function createCosts(store: RecordStore): WeaveCosts {
  return {
    createCosts: async (request, caller) => {
      const { project_id: project } = await readRequest(request, createCostsRequest, caller);
      authorize(caller, project);
      const costs = [...memberTexts(await textAt(request, "costs"))];
      const prices = costs.map(([model, price]) => priceOf(model, JSON.parse(price), caller.userId));
      if (prices.length > 0) await storePrices(store, project, prices, caller.signal);
      return writeJson({ ids: prices.map(({ id, llm_id }) => [id, llm_id]) });
    },
    queryCosts: async function* (request, caller) {
      const asked = await readRequest(request, queryCostsRequest, caller);
      authorize(caller, asked.project_id);
      const { page } = await selectRecords(storedPrices(store, asked.project_id), asked, (field) =>
        FIELDS.has(field),
      );
      yield* writeListAnswer("results", page);
    },
    purgeCosts: async (request, caller) => {
      const { project_id: project, query } = await readRequest(request, purgeRequest.loose(), caller);
      authorize(caller, project);
      const ids = idsOf(query.$expr);
      await writeRecords(store, async (session) => {
        session.load("purged", [{ name: "id", type: "VARCHAR", values: ids }]);
        await session.remove("model_prices", project, sql`id IN (SELECT id FROM ${loaded("purged")})`);
      });
      return "{}";
    },
  };
}

function priceOf(model: string, sent: unknown, userId: string): Price {
  if (model === "" || model.includes("\0"))
    throw schemaFault(["costs", model], "a model must have a name, without U+0000");
  const price = checkArgument(sent, priceSchema, ["costs", model]);
  const created_at = now();
  const effective_date = price.effective_date ?? created_at;
  return { ...price, id: uuidv7(), llm_id: model, effective_date, created_at, created_by: userId };
}

function storePrices(
  store: RecordStore,
  project: string,
  prices: readonly Price[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const columns = MEMBERS.map((member) => {
    const [name, type] = COLUMNS[member];
    return { name, type, values: prices.map((price) => price[member]) };
  });
  const projects = { name: "project_id", type: "VARCHAR", values: prices.map(() => project) } as const;
  return writeRecords(store, (session) => session.add("model_prices", [projects, ...columns]), signal);
}

/** The prices of a project by creation, then id, as the JSON texts of their members. */
async function* storedPrices(store: RecordStore, project: string): AsyncGenerator<Map<string, string>> {
  const columns = join(MEMBERS.map((member) => identifier(COLUMNS[member][0])));
  const found = await store.read((session) =>
    session.rows(sql`SELECT ${columns} FROM model_prices
      WHERE project_id = ${text(project)} ORDER BY created_at, id`),
  );
  const level = [
    ["pricing_level", '"project"'],
    ["pricing_level_id", writeJson(project)],
  ] as const;
  for (const record of found)
    yield new Map([
      ...MEMBERS.map((member, i) => [member, textOf(member, record[i] ?? null)] as const),
      ...level,
    ]);
}

function textOf(member: keyof typeof COLUMNS, value: SqlValue): string {
  const isTime = COLUMNS[member][1] === "BIGINT" && value !== null;
  return writeJson(isTime ? formatTimestamp(BigInt(value)) : value);
}
