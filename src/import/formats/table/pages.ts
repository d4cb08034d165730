import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { countOf } from "../../../model/messages.ts";
import { plainName } from "./guess-names.ts";

/** Members that say which part of an answer a page is. */
const AROUND = ["meta", "pagination", "links", "paging", "page_info"];
const PAGES = ["total_pages", "page_count", "last_page"];
const TOTALS = ["total_items", "total_count", "total", "total_results"];
const OF_PAGES = ["page", "current_page", "limit", "offset", "per_page", "page_size"];
const NEXT = ["next", "next_cursor", "next_page", "next_page_token", "next_url"];
const MORE = ["has_more", "has_next", "has_next_page"];

/** What is missing where the records beside some members are one page of several; null where they are all. */
export function pageOf(beside: JsonObject, records: number | null): string | null {
  const said = new Map<string, Json>();
  for (const name of [...AROUND, ""])
    for (const [member, value] of Object.entries(name === "" ? beside : objectNamed(beside, name)))
      said.set(plainName(member), value);
  const numberOf = (names: readonly string[]) =>
    names.map((name) => Number(said.get(name) ?? Number.NaN)).find((value) => Number.isFinite(value)) ?? null;
  const [page, pages, total] = [numberOf(["page", "current_page"]), numberOf(PAGES), numberOf(TOTALS)];
  const isPaged = OF_PAGES.some((name) => said.has(name));
  const isOneOfPages = pages !== null && pages > 1;
  const isBelow = isPaged && total !== null && records !== null && total > records;
  const hasNext = NEXT.some((name) => isNext(said.get(name))) || MORE.some((name) => said.get(name) === true);
  if (!isOneOfPages && !isBelow && !hasNext) return null;
  const parts = [
    ...(page === null ? [] : [`page ${page}${pages === null ? "" : ` of ${pages}`}`]),
    ...(records === null
      ? []
      : [total === null ? countOf(records, "record") : `${records} of ${total} records`]),
  ];
  return `${parts.join(", ") || "a page of more"}: get the others, and import them together with --evaluation NAME`;
}

function objectNamed(beside: JsonObject, plain: string): JsonObject {
  const found = Object.entries(beside).find(([name]) => plainName(name) === plain)?.[1];
  return isJsonObject(found) ? found : {};
}

function isNext(value: Json | undefined): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number" || isJsonObject(value);
}
