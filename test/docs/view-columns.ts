import type { View } from "../../src/duckdb/views/view.ts";

type Views = Readonly<Record<string, View>>;

/** The text with the parts about views made of their lists. */
export function withViews(text: string, views: Views): string {
  return withPart(withPart(text, "views", overview(views)), "columns", columns(views));
}

/** The text with what stands between the two comments of a part replaced. */
function withPart(text: string, name: string, part: string): string {
  const marked = new RegExp(`(<!-- ${name}, from [\\w/]+ -->\n).*?(<!-- end of ${name} -->)`, "s");
  return text.replace(marked, (_, start: string, end: string) => `${start}\n${part}\n\n${end}`);
}

function overview(views: Views): string {
  return table(
    ["view", "has one record for"],
    Object.entries(views).map(([name, { record }]) => [`\`${name}\``, record]),
  );
}

function columns(views: Views): string {
  return Object.entries(views)
    .map(([view, { columns: listed }]) =>
      table(
        [`\`${view}\``, "type", "is"],
        Object.entries(listed).map(([name, [type, , description]]) => [`\`${name}\``, type, description]),
      ),
    )
    .join("\n\n");
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .replaceAll("| --- | --- | --- |", "|---|---|---|")
    .replaceAll("| --- | --- |", "|---|---|");
}
