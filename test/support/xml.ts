/** An element of an XML document; `text` is what stands directly in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const TOKEN = /<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const FORBIDDEN =
  /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/u;

/** Reads the XML that reports are made of: elements, attributes, texts. Throws where it is not well-formed. */
export function parseXml(source: string): XmlElement {
  const body = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  if (body === source) throw new Error("no XML declaration");
  if (FORBIDDEN.test(source)) throw new Error("a character that XML does not allow");
  const top = { name: "", attributes: {}, children: [] as XmlElement[], text: "" };
  const open = [top];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < body.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(body);
    const inner = open.at(-1);
    if (match === null || inner === undefined) throw new Error(`not well-formed at ${at}`);
    const [, closing, name = "", list = "", empty, text] = match;
    if (text !== undefined) inner.text += decoded(text);
    else if (closing === "/") {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`);
    } else {
      const element = { name, attributes: attributesOf(list), children: [], text: "" };
      inner.children.push(element);
      if (empty !== "/") open.push(element);
    }
  }
  const [root] = top.children;
  if (open.length !== 1 || top.children.length !== 1 || root === undefined) throw new Error("not one root");
  return root;
}

function attributesOf(list: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of list.matchAll(/([\w.-]+)="([^"]*)"/g)) {
    if (Object.hasOwn(attributes, name)) throw new Error(`${name} stands twice`);
    attributes[name] = decoded(value);
  }
  return attributes;
}

function decoded(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_all, digits: string) => String.fromCodePoint(Number(digits)));
}
