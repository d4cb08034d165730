import { readFileSync } from "node:fs";

/** What `npm run site` made of the program, one page each. */
const FILE = new URL("../site/.vitepress/cache/generated.json", import.meta.url);

export default {
  paths: () =>
    Object.entries(JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, string>>).map(
      ([name, content]) => ({ params: { page: name.replace("reference/", "") }, content }),
    ),
};
