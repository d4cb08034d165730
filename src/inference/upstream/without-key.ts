const SHOWN = "[key]";

/** A body of a model server without the key that the service sent to it, also where JSON spells that another way; else as it is. */
export function withoutKey(body: Uint8Array, key: string | undefined): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (key === undefined) return bytes;
  if (bytes.includes(key)) return Buffer.from(bytes.toString("utf8").replaceAll(key, SHOWN));
  const text = unescaped(bytes.toString("utf8"));
  return text.includes(key) ? Buffer.from(text.replaceAll(key, SHOWN)) : bytes;
}

/** The text with every printable character of ASCII as itself, but for those that JSON has to escape. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\u00([2-7][0-9a-f])/gi, (escape, digits: string) => {
      const character = String.fromCodePoint(Number.parseInt(digits, 16));
      return character === '"' || character === "\\" ? escape : character;
    })
    .replaceAll("\\/", "/");
}
