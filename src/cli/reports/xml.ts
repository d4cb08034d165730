import { visible } from "./visible.ts";

/** Attributes of an element; those that are undefined are left out. */
type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with texts or elements inside, which are XML already. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`],
  );
  const head = `${name}${list.join("")}`;
  return children.length === 0 ? `<${head}/>` : `<${head}>${children.join("")}</${name}>`;
}

/** Escapes a text for content and attributes. Controls, which XML cannot hold, show as their code points. */
export function escapeXml(text: string): string {
  return text
    .split("\n")
    .map(visible)
    .join("\n")
    .replaceAll(/[&<>"'\n]|[\uFFFE\uFFFF]/g, (one) =>
      one >= "\uFFFE" ? "\uFFFD" : `&#${one.codePointAt(0)};`,
    );
}
