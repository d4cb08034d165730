import { readdirSync } from "node:fs";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable, type WritableOptions } from "node:stream";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder } from "../support/scratch.ts";
import { settle } from "../support/until.ts";

const REQUEST = { evaluation_call_ids: ["e"] };
const FORMATS = ["parquet", "csv", "jsonl", "json", "arrow"] as const;

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  const trials = Array.from({ length: 200 }, (_, i) => trial(`t${i}`, { i }, { score: i }));
  await engine.ingestCalls([root("e"), ...trials]);
  return () => engine.close();
});

function exported(
  stream: Writable | WritableStream<Uint8Array>,
  format: (typeof FORMATS)[number] = "csv",
  signal?: AbortSignal,
) {
  const options = { format, stream, ...(signal === undefined ? {} : { signal }) };
  return engine.exportResults(PROJECT, REQUEST, options);
}

/** A stream that does `write` with each chunk. */
const writable = (write: NonNullable<WritableOptions["write"]>) => new Writable({ write });
const stuck = () => writable(() => {});
/** A stream that never answers for a chunk; `then` is called once it has one. */
const stuckOnWeb = (then: (controller: WritableStreamDefaultController) => void) =>
  new WritableStream<Uint8Array>({
    write: (_chunk, controller) => {
      setImmediate(then, controller);
      return new Promise(() => {});
    },
  });

const listeners = (stream: Writable) =>
  stream.eventNames().map((name) => `${String(name)}: ${stream.listenerCount(name)}`);

describe("an export to a stream of Node", () => {
  it.each(FORMATS)("neither ends it nor leaves a listener on it: %s", async (format) => {
    const stream = writable((_chunk, _encoding, done) => setImmediate(done));
    await exported(stream, format);
    expect({ ended: stream.writableEnded, listeners: listeners(stream) }).toEqual({
      ended: false,
      listeners: [],
    });
  });

  it.each(FORMATS)("ends with the stream, though that never answers for a chunk: %s", async (format) => {
    const folder = scratchFolder();
    vi.stubEnv("TMPDIR", folder);
    const closed = stuck();
    closed.once("newListener", () => setImmediate(() => closed.destroy()));
    expect(await refusal(exported(closed, format))).toMatchObject({
      code: "unwritable_target",
      message: "cannot write to the stream: it was closed before all was written",
    });
    const failed = stuck();
    failed.once("newListener", () => setImmediate(() => failed.destroy(new Error("unplugged"))));
    await expect(exported(failed, format)).rejects.toThrow("unplugged");
    expect(readdirSync(folder)).toEqual([]);
    vi.unstubAllEnvs();
  });

  it("says where there is no room for the file that Parquet is first", async () => {
    const missing = `${scratchFolder()}/missing`;
    vi.stubEnv("TMPDIR", missing);
    expect(await refusal(exported(stuck(), "parquet"))).toMatchObject({
      code: "unwritable_target",
      message: `cannot write ${JSON.stringify(missing)}: no such file`,
    });
    vi.unstubAllEnvs();
  });

  it("hears the error of the stream, whenever that tells of it", async () => {
    const error = new Error("unplugged");
    const ways: NonNullable<WritableOptions["write"]>[] = [
      (_chunk, _encoding, done) => done(error),
      (_chunk, _encoding, done) => void setImmediate(done, error),
      (_chunk, _encoding, done) => queueMicrotask(() => done(error)),
      () => {
        throw error;
      },
    ];
    for (const write of ways) await expect(exported(writable(write))).rejects.toBe(error);
    // An error event that nobody hears comes in the turns that follow, and would fail this file.
    await settle();
  });

  it("is refused where it is closed or ended, and writes no further where that happens", async () => {
    const ended = writable((_chunk, _encoding, done) => done()).end();
    const destroyed = stuck().destroy();
    for (const stream of [ended, destroyed]) {
      expect((await refusal(exported(stream))).message).toBe("cannot write to the stream: it is closed");
    }
    const endedUnderWay = writable((_chunk, _encoding, done) => {
      endedUnderWay.end();
      done();
    });
    expect(await refusal(exported(endedUnderWay))).toMatchObject({ code: "unwritable_target" });
    expect(endedUnderWay.errored).toBeNull();
  });

  it("leaves the stream alone when it is aborted", async () => {
    const controller = new AbortController();
    const stream = writable(() => controller.abort(new Error("enough")));
    await expect(exported(stream, "csv", controller.signal)).rejects.toThrow("enough");
    expect({ destroyed: stream.destroyed, listeners: listeners(stream) }).toEqual({
      destroyed: false,
      listeners: [],
    });
  });

  it("ends when the client of a response leaves", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const outcome = new Promise((resolve) => {
      server.once("request", (_request, stream: ServerResponse) => {
        const endless = "SELECT repeat('x', 1000) FROM range(1000000)";
        engine.exportSql(PROJECT, endless, [], { format: "csv", stream }).then(resolve, resolve);
      });
    });
    const { port } = server.address() as AddressInfo;
    const request = get({ port, host: "127.0.0.1" }, (response) => {
      response.once("data", () => request.destroy());
    });
    request.on("error", () => {});
    expect(await outcome).toBeInstanceOf(Error);
    server.close();
  });
});

describe("an export to a stream of the web", () => {
  it.each(FORMATS)("neither closes it nor keeps its lock: %s", async (format) => {
    const stream = new WritableStream<Uint8Array>({});
    await exported(stream, format);
    expect(stream.locked).toBe(false);
    await stream.close();
  });

  it("ends with the stream, though that never answers for a chunk", async () => {
    const failed = stuckOnWeb((controller) => controller.error(new Error("unplugged")));
    await expect(exported(failed)).rejects.toThrow("unplugged");
    const aborted = new AbortController();
    const waiting = stuckOnWeb(() => aborted.abort(new Error("enough")));
    await expect(exported(waiting, "arrow", aborted.signal)).rejects.toThrow("enough");
    expect(waiting.locked).toBe(false);
  });

  it("is refused where it is closed, or locked by another", async () => {
    const closed = new WritableStream<Uint8Array>({});
    await closed.close();
    expect((await refusal(exported(closed))).message).toMatch(/^cannot write to the stream: it was closed/);
    const locked = new WritableStream<Uint8Array>({});
    locked.getWriter();
    expect((await refusal(exported(locked))).message).toBe(
      "cannot write to the stream: another writer holds it; release its lock first",
    );
  });
});
