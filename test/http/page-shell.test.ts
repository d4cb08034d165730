import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLargeBodies } from "../../src/http/wire/places.ts";
import type { Service } from "../../src/http/routes/service.ts";
import { startTrace } from "../../src/http/log/trace.ts";
import { pageRoutes } from "../../src/http/view/page-routes.ts";
import { startService, type TestService } from "./running-service.ts";

let service: TestService;
let shell: string;

beforeAll(async () => {
  service = await startService({ view: true });
  shell = await (await service.fetch("/view/")).text();
});

afterAll(() => service.stop());

/** The addresses of the script and the style, as a browser resolves them. */
function filesOf(html: string, at: string): string[] {
  const named = html.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g);
  return [...named].map(([, name = ""]) => new URL(name, at).pathname);
}

describe("the shell of the page", () => {
  it("is given without a key, asked for each time, and loads a script and a style", async () => {
    const response = await service.fetch("/view/");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    const files = filesOf(shell, `${service.url}/view/`);
    expect(files).toEqual([
      expect.stringMatching(/^\/view\/\w+-[\da-f]{8,}\.css$/),
      expect.stringMatching(/^\/view\/\w+-[\da-f]{8,}\.js$/),
    ]);
    for (const [at, type] of [
      [0, "text/css"],
      [1, "text/javascript"],
    ] as const) {
      const file = await service.fetch(files[at] ?? "");
      expect(file.status).toBe(200);
      expect(file.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect((await file.text()).length).toBeGreaterThan(0);
    }
  });

  it("runs nothing inline and names nothing elsewhere", () => {
    expect(shell).not.toMatch(/https?:|style=|<style|<script>|\son\w+=/);
  });

  it("has the headers that keep it alone, and so do its files", async () => {
    for (const path of ["/view", "/view/", ...filesOf(shell, `${service.url}/view/`)]) {
      const { headers } = await service.fetch(path, { redirect: "manual" });
      const policy = Object.fromEntries(
        (headers.get("content-security-policy") ?? "").split("; ").map((one) => {
          const [name = "", ...values] = one.split(" ");
          return [name, values.join(" ")];
        }),
      );
      expect(policy).toEqual({
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
      });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("is found without its last slash, wherever it is mounted", async () => {
    const mounted = await startService({ view: true, basePath: "/evals" });
    const response = await mounted.fetch("/evals/view", { redirect: "manual" });
    expect(response.status).toBe(307);
    const at = new URL(response.headers.get("location") ?? "", `${mounted.url}/evals/view`);
    expect(at.pathname).toBe("/evals/view/");
    const files = filesOf(await (await mounted.fetch("/evals/view")).text(), at.href);
    expect((await mounted.fetch(files[1] ?? "")).status).toBe(200);
    expect((await mounted.fetch("/view/")).status).toBe(404);
    await mounted.stop();
  });

  it("has no other files, and takes nothing", async () => {
    for (const path of ["/view/manifest.json", "/view/..%2Fpackage.json", "/view/view.js", "/view//"])
      expect([path, (await service.fetch(path)).status]).toEqual([path, 404]);
    const posted = await service.fetch("/view/", { method: "POST" });
    expect(posted.status).toBe(405);
  });

  it("says what to do where its files are missing", async () => {
    const routes = pageRoutes({
      load: () => Promise.reject(new Error("a module was not found")),
      ownKey: false,
    });
    const shown = routes.find(({ path }) => path === "/view/");
    const trace = startTrace(new Request("http://localhost/view/"), undefined);
    const raw = new Request("http://localhost/view/");
    const asked = { raw, trace, params: new Map<string, string>(), turn: createLargeBodies()() };
    await expect(shown?.run(asked, {} as Service)).rejects.toThrow(/script and style .* not there.*install/);
  });

  it("is not there unless it is asked for, nor in the description of the endpoints", async () => {
    const plain = await startService();
    for (const path of ["/view", "/view/"]) expect((await plain.fetch(path)).status).toBe(404);
    await plain.stop();
    expect(await (await service.fetch("/openapi.json")).text()).not.toContain('"/view');
  });
});

describe("the address of the service", () => {
  const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  it("sends a browser to the page, below the base path too", async () => {
    const mounted = await startService({ view: true, basePath: "/evals" });
    try {
      for (const [served, path] of [
        [service, "/"],
        [mounted, "/evals"],
        [mounted, "/evals/"],
      ] as const) {
        const sent = await served.fetch(path, { headers: html, redirect: "manual" });
        expect([path, sent.status]).toEqual([path, 303]);
        const page = new URL(sent.headers.get("location") ?? "", served.url + path);
        expect(page.href).toBe(`${served.url}${path.replace(/\/$/, "")}/view/`);
      }
    } finally {
      await mounted.stop();
    }
  });

  it("is unknown to programs, to other methods, and where there is no page", async () => {
    const without = await startService();
    try {
      for (const response of [
        await service.fetch("/", { headers: { accept: "application/json" } }),
        await service.fetch("/", { headers: html, method: "POST" }),
        await without.fetch("/", { headers: html }),
      ])
        expect([response.status, (await response.json()) as unknown]).toEqual([
          404,
          expect.objectContaining({ reason: expect.any(String) as unknown }),
        ]);
    } finally {
      await without.stop();
    }
  });
});
