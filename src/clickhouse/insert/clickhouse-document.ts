import { MARK } from "../dialect/documents.ts";
import { readText, type RecordText } from "../../ingest/record/record-text.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/**
 * Found in every document that needs a mark, and in few others: a mark, and a number of many digits, with an exponent
 * or with a fraction of zeros. A shorter number fits into 64 bits where it is an integer, and is not rounded to one
 * where it is none.
 */
const MAY_NEED_MARKS = /"(?:\uE000|\\u[eE]000)|(?:^|[:,[\s])-?(?:[\d.]{16}|\d+(?:\.0+(?!\d)|(?:\.\d+)?[eE]))/;

/**
 * A JSON document as ClickHouse can read it: each number that it would refuse, or spell otherwise than DuckDB does,
 * becomes a string of DuckDB's spelling behind U+E000, and a string or name that begins with U+E000 gets another one in
 * front. Null where that changes nothing.
 */
export function clickHouseDocument(text: RecordText): string | null {
  const json = readText(text);
  if (!MAY_NEED_MARKS.test(json)) return null;
  let isSame = true;
  const marked = json.replaceAll(TOKEN, (token) => {
    const kept = token.startsWith('"') ? markedString(token) : markedNumber(token);
    isSame &&= kept === token;
    return kept;
  });
  return isSame ? null : marked;
}

function markedString(token: string): string {
  return /^"(?:\uE000|\\u[eE]000)/.test(token) ? `"${MARK}${token.slice(1)}` : token;
}

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;
/** From here on both write an exponent. */
const EXPONENT_FROM = 1e21;

function markedNumber(token: string): string {
  if (INTEGER.test(token)) {
    const value = BigInt(token);
    return value >= LEAST && value <= MOST ? token : `"${MARK}${token}"`;
  }
  const value = Number(token);
  // DuckDB keeps what is no double as it is.
  if (!Number.isFinite(value)) return `"${MARK}${token}"`;
  if (!Number.isInteger(value) || Math.abs(value) >= EXPONENT_FROM) return token;
  return `"${MARK}${Object.is(value, -0) ? "-0" : value}.0"`;
}
