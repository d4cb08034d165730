/** Before the spelling of a number that stands in a string, and before a string that begins with it. */
const MARK = "\uE000";

/** What a document has where some number may be spelled otherwise: an exponent, 16 digits or more, zeros at either end of a fraction, or -0. */
const SUSPICIOUS = /\d[eE]|\d{16}|\.\d*0(?!\d)|\.0{6}|-0|\uE000|\\u[eE]000/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

/**
 * A compact JSON document as ClickHouse can read it: each number that it would refuse or spell otherwise becomes a string of its
 * spelling behind U+E000, and a string that begins with U+E000 gets another one in front. Null where that changes nothing.
 */
export function clickHouseDocument(text: string): string | null {
  if (!SUSPICIOUS.test(text)) return null;
  let isSame = true;
  const marked = text.replaceAll(TOKEN, (token) => {
    const kept = token.startsWith('"') ? markedString(token) : isPlain(token) ? token : `"${MARK}${token}"`;
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

/** Whether ClickHouse reads the number, and gives it with the same letters. */
function isPlain(token: string): boolean {
  if (token === "-0") return false;
  if (!INTEGER.test(token)) return !/[eE]/.test(token) && String(Number(token)) === token;
  const value = BigInt(token);
  return value >= LEAST && value <= MOST;
}
