import { z } from "zod";
import { memberTexts, writeMembers } from "../model/member-texts.ts";

const texts = z.record(z.string(), z.string()).nullish();
const numbers = z.record(z.string(), z.number()).nullish();
const text = z.string().nullish();

/** What scorers of SDKs of W&B Weave say beside a payload, and which span it is about, as members of a record. */
export const SCORER_DETAILS = {
  scorer_tags: z.array(z.string()).nullish(),
  scorer_ratings: numbers,
  scorer_tag_confidences: numbers,
  scorer_rating_confidences: numbers,
  scorer_tag_reasons: texts,
  scorer_rating_reasons: texts,
  scorer_trace_id: text,
  span_agent_name: text,
  span_agent_version: text,
  span_conversation_id: text,
  span_status_code: text,
  span_trace_id: text,
} as const;

/** What a scorer says beside a payload, and which span it is about. Empty values are as left out. */
export interface ScorerDetails {
  /** Names of what the scorer found. */
  readonly scorer_tags?: string[] | null | undefined;
  /** Numbers by name. */
  readonly scorer_ratings?: Record<string, number> | null | undefined;
  /** How sure the scorer is of a tag, by tag. */
  readonly scorer_tag_confidences?: Record<string, number> | null | undefined;
  /** How sure the scorer is of a rating, by its name. */
  readonly scorer_rating_confidences?: Record<string, number> | null | undefined;
  /** Why, by tag. */
  readonly scorer_tag_reasons?: Record<string, string> | null | undefined;
  /** Why, by the name of the rating. */
  readonly scorer_rating_reasons?: Record<string, string> | null | undefined;
  /** The trace of the scorer itself. */
  readonly scorer_trace_id?: string | null | undefined;
  /** The agent whose span the record is about. */
  readonly span_agent_name?: string | null | undefined;
  /** The version of that agent. */
  readonly span_agent_version?: string | null | undefined;
  /** The conversation of the span. */
  readonly span_conversation_id?: string | null | undefined;
  /** How the span ended; `UNSET` where nobody says. */
  readonly span_status_code?: string | null | undefined;
  /** The trace of the span. */
  readonly span_trace_id?: string | null | undefined;
}

/** The members with the JSON texts that say nothing, in the order of answers. */
export const NO_DETAILS: ReadonlyMap<string, string> = new Map(
  Object.keys(SCORER_DETAILS).map((name) => [name, emptyOf(name)]),
);

function emptyOf(name: string): string {
  if (name === "span_status_code") return '"UNSET"';
  if (name === "scorer_tags") return "[]";
  return /^(?:span_|scorer_trace)/.test(name) ? '""' : "{}";
}

/** The members of a record as JSON texts, with those that say something together in `weave`, as they are stored. */
export function foldDetails(sent: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const kept = memberTexts(sent.get("weave")?.startsWith("{") === true ? (sent.get("weave") ?? "{}") : "{}");
  for (const [name, empty] of NO_DETAILS) {
    const value = sent.get(name) ?? "null";
    if (value !== "null" && value.replace(/\s/g, "") !== empty) kept.set(name, value);
  }
  return kept.size === 0 ? sent : new Map([...sent, ["weave", writeMembers(kept)]]);
}
