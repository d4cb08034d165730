import { bundledText, type BundledText } from "./bundled-text.ts";

/** Bundles the program of the thread that loads files, with all that it needs but Node. */
export function bundleThread(): Promise<BundledText> {
  return bundledText("src/duckdb/load-thread/thread-entry.ts", {
    // Whoever debugs it reads names; without them it is hardly smaller.
    minifyWhitespace: true,
    minifySyntax: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
  });
}
