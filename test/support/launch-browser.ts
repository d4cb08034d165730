import type { Browser } from "playwright-core";

/** Not those that the package names: they put all pages into one process, and let pages read other origins. */
const ARGUMENTS = ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"];

export async function launchBrowser(): Promise<Browser> {
  // Before the import: then the browser brings its own shared libraries and fonts.
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs20.x";
  const [{ default: chromium }, { chromium: driver }] = await Promise.all([
    import("@sparticuz/chromium"),
    import("playwright-core"),
  ]);
  const named = process.env["CHROMIUM_PATH"];
  return driver.launch({
    executablePath: named ?? (await chromium.executablePath()),
    args: ARGUMENTS,
    headless: true,
  });
}
