import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startService } from "../http/running-service.ts";
import { standstill } from "../support/until.ts";
import { delta, startUpstream, type Script } from "./scripted-upstream.ts";

const OFFERED = 100 * 1024 * 1024;
const PIECE = delta("x".repeat(64 * 1024));

/** Collects the sockets that a channel of Node's diagnostics tells of. */
function socketsOf(channel: string): Socket[] {
  const sockets: Socket[] = [];
  const listen = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  diagnostics.subscribe(channel, listen);
  onTestFinished(() => void diagnostics.unsubscribe(channel, listen));
  return sockets;
}

it("a reader that stops reading stops the upstream, with little held in between", async () => {
  const upstream = await startUpstream();
  onTestFinished(() => upstream.close());
  const service = await startService({ inference: { upstreams: [{ base_url: upstream.url }] } });
  onTestFinished(() => service.stop());
  const accepted = socketsOf("http.server.request.start");
  const connected = socketsOf("undici:client:connected");
  let offered = 0;
  const flood: Script = async (reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    for (; offered < OFFERED; offered += PIECE.length) if (!reply.write(PIECE)) await once(reply, "drain");
    reply.end();
  };
  upstream.script("s", flood);

  const client = connect(service.port, "127.0.0.1").pause();
  onTestFinished(() => void client.destroy());
  const body = '{"model":"s","messages":[],"stream":true}';
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await standstill("the upstream is stopped", () => offered);
  const downstream = accepted.find((socket) => socket.localPort === service.port);
  const read = connected.reduce((sum, socket) => sum + socket.bytesRead, 0);
  // What the kernel has taken over is held by nobody here.
  const sent = (downstream?.bytesWritten ?? 0) - (downstream?.writableLength ?? 0);
  expect(offered).toBeLessThan(OFFERED);
  expect(read - sent).toBeGreaterThan(0);
  expect(read - sent).toBeLessThan(512 * 1024);
});
