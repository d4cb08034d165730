const ROWS = '{"rows":[';
const TURN = /["{}[\]]/g;
const STRING_TURN = /["\\]/g;

/** Cuts the text of a response, which comes in pieces, into the texts of its rows; returns what stands behind them. */
export async function* rowTexts(pieces: AsyncIterable<string>): AsyncGenerator<string, string, undefined> {
  let text = "";
  let from = ROWS.length;
  const reader = { at: ROWS.length, depth: 0, inString: false };
  let behind = false;
  for await (const piece of pieces) {
    text += piece;
    if (behind) continue;
    for (;;) {
      const end = endOfRow(text, reader);
      if (end === null) break;
      if (end === "behind") {
        behind = true;
        break;
      }
      yield text.slice(text.indexOf("{", from), end);
      from = end;
    }
    text = text.slice(from);
    reader.at -= from;
    from = 0;
  }
  return text;
}

interface Reader {
  at: number;
  depth: number;
  inString: boolean;
}

/** Reads on to the end of a row or of the list of rows; null where the text ends before. */
function endOfRow(text: string, reader: Reader): number | "behind" | null {
  for (;;) {
    const turn = reader.inString ? STRING_TURN : TURN;
    turn.lastIndex = reader.at;
    const found = turn.exec(text);
    if (found === null) {
      reader.at = Math.max(reader.at, text.length);
      return null;
    }
    const [character] = found;
    if (character === "\\" && found.index + 1 >= text.length) {
      reader.at = found.index;
      return null;
    }
    reader.at = found.index + (character === "\\" ? 2 : 1);
    if (character === '"') reader.inString = !reader.inString;
    else if (character === "{" || character === "[") reader.depth++;
    else if (character === "}" || character === "]") {
      reader.depth--;
      if (reader.depth === 0) return reader.at;
      if (reader.depth < 0) return "behind";
    }
  }
}
