import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { minify } from "rolldown/utils";
import { bundledText, type BundledText } from "./bundled-text.ts";
import type { BundledPage, BundledPages } from "../src/view-files.ts";

/** What browsers understand that the pages are made for: `light-dark()` and `DecompressionStream`. */
const BROWSERS = ["es2022", "chrome123", "firefox120", "safari17.5"];

/** Bundles what browsers get: one script for each page, and the style of both. */
export async function bundleView(): Promise<{
  readonly pages: BundledPages;
  readonly inputs: readonly string[];
}> {
  const [report, view, style] = await Promise.all([
    bundledScript("src/view/browser/start-report.tsx"),
    bundledScript("src/view/browser/start-view.tsx"),
    bundled("src/view/style/page.css"),
  ]);
  const page = named("page", ".css", style.text);
  const pages = {
    report: { script: named("report", ".js", report.text), style: page },
    view: { script: named("view", ".js", view.text), style: page },
  };
  return { pages, inputs: [...report.inputs, ...view.inputs] };
}

function bundled(file: string): Promise<BundledText> {
  return bundledText(file, {
    minify: true,
    format: "iife",
    platform: "browser",
    target: BROWSERS,
    jsx: "automatic",
    jsxImportSource: "preact",
  });
}

/** What esbuild makes short, rolldown's minifier makes shorter: by 4 % compressed. */
async function bundledScript(file: string): Promise<BundledText> {
  const { text, inputs } = await bundled(file);
  const { code, errors } = await minify(file, text, {
    compress: { target: BROWSERS },
    mangle: true,
    codegen: { removeWhitespace: true, legalComments: "none" },
  });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return { text: code.trim(), inputs };
}

function named(entry: string, ending: string, text: string): BundledPage["style"] {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { name: `${entry}-${hash}${ending}`, text };
}

/** Writes the files to a folder, and `manifest.json`, which has their names. */
export async function writeView(folder: string, pages: BundledPages): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = Object.values(pages).flatMap(({ script, style }: BundledPage) => [script, style]);
  await Promise.all(files.map(({ name, text }) => writeFile(path.join(folder, name), text)));
  const names = Object.entries(pages).map(([page, { script, style }]: [string, BundledPage]) => [
    page,
    { script: script.name, style: style.name },
  ]);
  await writeFile(path.join(folder, "manifest.json"), `${JSON.stringify(Object.fromEntries(names))}\n`);
}
