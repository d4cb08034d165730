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
    void fileOf(folder, pathname.startsWith(base) ? pathname.slice(base.length) : null).then((file) => {
      if (file === null) return response.writeHead(404).end();
      const { bytes, type } = file;
      const isText = /^(?:text|application)\/|svg/.test(type);
      const body = isText ? gzipSync(bytes) : bytes;
      sent.set(pathname, body.length);
      const encoding = isText ? { "content-encoding": "gzip" } : {};
      return response.writeHead(200, { "content-type": `${type}; charset=utf-8`, ...encoding }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}${base}`, sent, close: () => server.close() };
}

/** A file of the folder; null where there is none, and for what lies outside. */
async function fileOf(folder: string, name: string | null) {
  if (name === null) return null;
  const file = path.join(
    folder,
    name === "" || name.endsWith("/") ? `${name}index.html` : decodeURIComponent(name),
  );
  if (path.relative(folder, file).startsWith("..")) return null;
  const type = TYPES[path.extname(file)] ?? "image/x-unknown";
  return await readFile(file).then(
    (bytes) => ({ bytes, type }),
    () => null,
  );
}
