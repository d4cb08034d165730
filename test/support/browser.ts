import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "./launch-browser.ts";

/** A browser that needs no download exists for Linux on x64 only; elsewhere `CHROMIUM_PATH` names one. */
export const noBrowser: string | null =
  process.env["CHROMIUM_PATH"] !== undefined || (process.platform === "linux" && process.arch === "x64")
    ? null
    : "no Chromium for this system; CHROMIUM_PATH names one";

/** A page, and what went wrong on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the console and of scripts, refusals of the policy, and requests that leave the page's own origin. */
  readonly faults: readonly string[];
}

/** Opens pages in one browser for all tests of a file; a test fails where something went wrong on its page. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<WatchedPage> {
  let browser: Browser | null = null;
  beforeAll(async () => {
    if (noBrowser === null) browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  return async (options = {}) => {
    if (browser === null) throw new Error("there is no browser");
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    watch(page, faults);
    onTestFinished(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });
    return { page, faults };
  };
}

function watch(page: Page, faults: string[]): void {
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const refused = /Content Security Policy|Trusted ?Types?/i.test(message.text());
    if (message.type() === "error" || refused) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const own = page.url();
    if (request.isNavigationRequest() || request.url().startsWith("data:")) return;
    if (own.startsWith("file:") || new URL(request.url()).origin !== new URL(own).origin)
      faults.push(`request: ${request.url().slice(0, 200)}`);
  });
}

/** What axe finds on the page as it is, by rule, with the elements. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const { default: axe } = await import("axe-core");
  // The policy of the page allows no script but its own; the debugger is not bound by it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () => {
    const { axe: inPage } = globalThis as unknown as { readonly axe: typeof import("axe-core") };
    return inPage.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
  });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
