import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** A folder of files that is served below a path, as a host of static pages does it. */
export interface Served {
  readonly address: string;
  /** Bytes of the bodies that were sent, by path: texts are sent with gzip. */
  readonly sent: Map<string, number>;
  close(): void;
}

export async function serveFolder(folder: string, base: string): Promise<Served> {
  const sent = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const name = pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : "..";
    const file = path.join(folder, name.endsWith("/") || name === "" ? `${name}index.html` : name);
    const isInside = !path.relative(folder, file).startsWith("..");
    void (isInside ? readFile(file) : Promise.reject(new Error("outside"))).then(
      (bytes) => {
        const type = TYPES[path.extname(file)] ?? "application/octet-stream";
        const isText = !type.startsWith("image/png") && !type.startsWith("application/octet");
        const body = isText ? gzipSync(bytes) : bytes;
        sent.set(pathname, body.length);
        const encoding = isText ? { "content-encoding": "gzip" } : {};
        response.writeHead(200, { "content-type": `${type}; charset=utf-8`, ...encoding }).end(body);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}${base}`, sent, close: () => server.close() };
}
