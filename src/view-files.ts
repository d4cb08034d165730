/*
 * The scripts and styles that browsers get. `build/bundle.ts` puts another module here, which holds the
 * texts; here they are bundled when they are first asked for.
 */

/** A file for browsers; its name has a hash of its text. */
interface BundledFile {
  readonly name: string;
  readonly text: string;
}

/** What a page loads. */
export interface BundledPage {
  readonly script: BundledFile;
  readonly style: BundledFile;
}

/** The pages by name. */
export interface BundledPages {
  readonly report: BundledPage;
  readonly view: BundledPage;
}

interface Builder {
  readonly bundleView: () => Promise<{ readonly pages: BundledPages }>;
}

let bundled: Promise<BundledPages> | null = null;

/** The scripts and styles of the pages. */
export function viewFiles(): Promise<BundledPages> {
  bundled ??= bundleNow();
  return bundled;
}

async function bundleNow(): Promise<BundledPages> {
  const builder = new URL("../build/bundle-view.ts", import.meta.url).href;
  const { bundleView } = (await import(builder)) as Builder;
  return (await bundleView()).pages;
}
