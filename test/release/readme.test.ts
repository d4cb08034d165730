import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(path.join(ROOT, name), "utf8");
const readme = read("README.md");

/** What a rehearsal runs the package with: `Node 20`, `Bun 1.4` and so on, by the versions that are pinned. */
function runtimes(): { readonly nodes: readonly string[]; readonly others: readonly string[] } {
  const { dependencies } = JSON.parse(read("build/rehearsal/package.json")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const nodes = Object.entries(dependencies).filter(([name]) => /^node\d+$/.test(name));
  const short = (name: string) => dependencies[name]?.split(".").slice(0, 2).join(".") ?? "";
  return {
    nodes: nodes.map(([, version]) => /@(\d+)\./.exec(version)?.[1] ?? ""),
    others: [`Bun ${short("@oven/bun-linux-x64")}`, `Deno ${short("@deno/linux-x64-glibc")}`],
  };
}

it("the README has at most 200 lines", () => {
  expect(readme.split("\n").length - 1).toBeLessThanOrEqual(200);
});

it("the README has badges of the version, of CI, and of what a rehearsal ran, and claims nothing else", () => {
  const badges = [...readme.matchAll(/^\[!\[([^\]]+)\]\((https:[^)\s]+)\)\]\(([^)\s]+)\)$/gm)];
  const { nodes, others } = runtimes();
  const ran = `run on Linux x64 with Node ${nodes.join(", ")}, ${others.join(" and ")}`;
  expect(badges.map(([, text]) => text)).toEqual(["npm", "ci", ran]);
  const [, , [, , image = "", link = ""] = []] = badges;
  const words = decodeURIComponent(image).replaceAll("_", " ");
  expect(words).toContain(`run on Linux x64-Node ${nodes.join(", ")}, ${others.join(", ")}-`);
  expect(link).toBe("#requirements");
  const last = nodes.at(-1) ?? "";
  const [, requirements = ""] = /^### Requirements\n\n([^]*?)\n\n/m.exec(readme) ?? [];
  expect(requirements).toContain(
    `with Node ${nodes.slice(0, -1).join(", ")} and ${last}, ${others.join(" and ")} on Linux (x64)`,
  );
});
