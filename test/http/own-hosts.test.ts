import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { ownHosts } from "../../src/http/node/own-hosts.ts";
import { startService } from "./running-service.ts";

it.each([
  ["http://127.0.0.1:7342", 7342, ["127.0.0.1:7342", "localhost:7342"]],
  ["http://[::1]:7342", 7342, ["[::1]:7342", "localhost:7342"]],
  ["http://box.example:80", 80, ["box.example", "localhost"]],
])("a service at %s has these hosts", (url, port, hosts) => {
  expect([...ownHosts({ url, port })]).toEqual(hosts);
});

it("a service on all addresses has each of this machine", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const hosts = ownHosts({ url: "http://0.0.0.0:7342", port: 7342 });
  expect(hosts).toContain("localhost:7342");
  for (const { address } of addresses.filter(({ family }) => family === "IPv4"))
    expect(hosts).toContain(`${address}:7342`);
});

it("a service that keys guard answers under any name, since a proxy may be before it", async () => {
  const service = await startService();
  const sent = request(`${service.url}/healthz`, { headers: { host: "attacker.example" } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  await service.stop();
});
