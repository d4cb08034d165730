import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  close(): void;
}

/**
 * Passes connections to a port of the same address. One that is broken off here ends there in good order, with all that was sent read: a server of
 * the embedded library dies of a connection that is reset, which is how servers end statements of which they need no more records.
 */
export async function startProxy(host: string, to: number): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host, port: to, allowHalfOpen: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.setNoDelay().once("close", () => open.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
    near.on("error", () => undefined).once("close", () => far.unpipe(near).resume().end());
    far.on("error", () => undefined).once("close", () => near.destroy());
  });
  server.listen(0, host).unref();
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
