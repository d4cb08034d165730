import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { slugOf } from "../../build/site/anchors.ts";
import { deadLinks } from "../../build/site/check-links.ts";
import { pictureOf, targetOf } from "../../build/site/links.ts";
import { isPage, LEFT_OUT, navigation, SECTIONS, sidebar } from "../../build/site/pages.ts";
import { scratchFolder } from "../support/scratch.ts";
import { anchorsOf, linksIn, readPage, ROOT } from "./pages.ts";

const LISTED = Object.values(SECTIONS).flatMap((pages) => pages.map(([file]) => `${file}.md`));

describe("the pages of the site", () => {
  it("are all pages of docs but those left out, and each is listed once", () => {
    const found = readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll(path.sep, "/"))
      .filter((name) => name.endsWith(".md") && !/^(?:site|reference|examples)\//.test(name))
      .filter((name) => !LEFT_OUT.includes(name));
    const kept = LISTED.filter((name) => !name.startsWith("reference/"));
    expect(kept.toSorted()).toEqual(found.toSorted());
    expect(LISTED.filter((name) => !isPage(name))).toEqual([]);
    expect(new Set(LISTED).size).toBe(LISTED.length);
  });

  it("are reached from the top and from the side", () => {
    expect(navigation().map(({ text }) => text)).toEqual(Object.keys(SECTIONS));
    expect(sidebar().flatMap(({ items }) => items)).toHaveLength(LISTED.length - 1);
  });

  it.each(LISTED.filter((name) => !name.startsWith("reference/")))(
    "link from %s to what there is",
    (page) => {
      for (const target of linksIn(readPage(`docs/${page}`))) expect(targetOf(page, target)).not.toBe("");
    },
  );
});

describe("a link of a page", () => {
  it("stays where it leads to a page, or away", () => {
    expect(targetOf("cli.md", "statistics.md#agreement")).toBe("statistics.md#agreement");
    expect(targetOf("reference/command.md", "../cli.md")).toBe("../cli.md");
    expect(targetOf("cli.md", "#history")).toBe("#history");
    expect(targetOf("cli.md", "https://duckdb.org")).toBe("https://duckdb.org");
  });

  it("leads to the file at the tag where it is no page", () => {
    const at = /^https:\/\/github\.com\/evalcube\/evalcube\/blob\/v\d+\.\d+\.\d+\//;
    expect(targetOf("cli.md", "examples/calls.ndjson").replace(at, "")).toBe("docs/examples/calls.ndjson");
    expect(targetOf("cli.md", "../CHANGELOG.md").replace(at, "")).toBe("CHANGELOG.md");
    expect(targetOf("cli.md", "benchmarks.md#x").replace(at, "")).toBe("docs/benchmarks.md#x");
  });

  it("fails where there is no such file", () => {
    expect(() => targetOf("cli.md", "nowhere.md")).toThrow("docs/cli.md: nowhere.md leads nowhere");
    expect(() => targetOf("cli.md", "../../elsewhere")).toThrow("leads nowhere");
  });
});

it("a picture of the repository is one of the site", () => {
  const address = "https://raw.githubusercontent.com/evalcube/evalcube/main/docs/pictures";
  expect(pictureOf("report.md", `${address}/report-light.png`)).toBe("./pictures/report-light.png");
  expect(pictureOf("guide/first-day.md", `${address}/demo.svg`)).toBe("../pictures/demo.svg");
  expect(pictureOf("report.md", "https://example.org/a.png")).toBe("https://example.org/a.png");
  expect(() => pictureOf("report.md", `${address}/nowhere.png`)).toThrow("there is no picture");
});

it("the anchors of the site are those of GitHub", () => {
  const text = "## Faults: `a.b`, and C++!\n\n### Größe 95 %\n";
  const headings = ["Faults: `a.b`, and C++!", "Größe 95 %"];
  expect(headings.map(slugOf)).toEqual(anchorsOf(text));
});

const page = (body: string) => `<html><body><h1 id="top">A</h1>${body}</body></html>`;

it("what leads nowhere in built pages is told: pages, files, anchors, files of the repository", async () => {
  const folder = scratchFolder();
  mkdirSync(path.join(folder, "recipes"));
  const good =
    '<a href="/base/recipes/b.html#top">b</a><a href="#top">a</a><img src="/base/a.png"><a href="a.md">m</a>';
  writeFileSync(path.join(folder, "a.html"), page(good));
  writeFileSync(path.join(folder, "a.png"), "");
  writeFileSync(path.join(folder, "a.md"), "# A\n\n[b](recipes/b.md#not-there)\n");
  const bad = '<a href="/base/c.html">c</a><a href="../a.html#bottom">a</a><a href="/other/a.html">o</a>';
  const loaded = '<img src="https://example.org/a.png"><link rel="stylesheet" href="//example.org/a.css">';
  const left = '<link rel="alternate" href="https://example.org/a.md"><a href="https://example.org">o</a>';
  const repository = '<a href="https://github.com/evalcube/evalcube/blob/v0.1.0/nowhere.ts">r</a>';
  writeFileSync(path.join(folder, "recipes/b.html"), page(bad + loaded + left + repository));
  writeFileSync(path.join(folder, "recipes/b.md"), "# B\n");
  expect((await deadLinks(folder, "/base/")).toSorted()).toEqual(
    [
      "a.md: recipes/b.md#not-there",
      "recipes/b.html: /base/c.html",
      "recipes/b.html: ../a.html#bottom",
      "recipes/b.html: /other/a.html",
      "recipes/b.html: https://example.org/a.png",
      "recipes/b.html: //example.org/a.css",
      "recipes/b.html: https://github.com/evalcube/evalcube/blob/v0.1.0/nowhere.ts",
    ].toSorted(),
  );
});

it("the site is built with each release, from packages of exact versions", () => {
  const { on, jobs } = parse(readFileSync(path.join(ROOT, ".github/workflows/pages.yml"), "utf8")) as {
    readonly on: object;
    readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly environment?: object }>>;
  };
  expect(on).toEqual({ push: { tags: ["v*"] } });
  expect(jobs["deploy"]?.permissions).toEqual({ pages: "write", "id-token": "write" });
  expect(jobs["deploy"]?.environment).toMatchObject({ name: "github-pages" });
  const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, "docs/site/package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  expect(devDependencies).toEqual({ vitepress: "1.6.4" });
});
