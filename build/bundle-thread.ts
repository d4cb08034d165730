import path from "node:path";
import * as esbuild from "esbuild";

const ROOT = path.join(import.meta.dirname, "..");

/** Bundles the program of the thread that loads files, with all that it needs but Node. */
export async function bundleThread(): Promise<{ readonly text: string; readonly inputs: readonly string[] }> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ["src/engine/load-thread/thread-entry.ts"],
    bundle: true,
    write: false,
    // Whoever debugs it reads names; without them it is hardly smaller.
    minifyWhitespace: true,
    minifySyntax: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs: all }) =>
    Object.keys(all).filter((name) => all[name]?.bytesInOutput !== 0),
  );
  return { text: (outputFiles[0]?.text ?? "").trim(), inputs };
}
