import path from "node:path";
import * as esbuild from "esbuild";

const ROOT = path.join(import.meta.dirname, "..");

/** One file with all that it imports, as a text. */
export interface BundledText {
  readonly text: string;
  /** The files that a part of is in the text, relative to the root. */
  readonly inputs: readonly string[];
}

/** Bundles one file, given relative to the root. */
export async function bundledText(file: string, options: esbuild.BuildOptions): Promise<BundledText> {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [file],
    bundle: true,
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    ...options,
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs: all }) =>
    Object.keys(all).filter((name) => all[name]?.bytesInOutput !== 0),
  );
  return { text: (outputFiles[0]?.text ?? "").trim(), inputs };
}
