import { randomUUID } from "node:crypto";
import { createClient } from "@clickhouse/client";
import { onTestFinished } from "vitest";
import {
  freePorts,
  startClickHouse,
  type ClickHouseServer,
  type ServerOptions,
} from "./clickhouse-server.ts";
import { startProxy } from "./patient-proxy.ts";

/** The name of the clusters of tests. */
export const CLUSTER = "evalcube";

interface ClusterOptions extends ServerOptions {
  /** Further clusters, of one replica a shard: by name the numbers of their servers, or names that mean the first one. */
  readonly others?: Readonly<Record<string, readonly (number | string)[]>>;
}

/**
 * Servers of which each knows all as the shards of the cluster {@link CLUSTER}, one replica each: at 127.0.0.1, 127.0.0.2, …, with HTTP on the same
 * port. They speak to one another, and to themselves, through proxies.
 */
export async function startClickHouseCluster(
  shards: number,
  options: ClusterOptions = {},
): Promise<readonly ClickHouseServer[]> {
  const hosts = Array.from({ length: shards }, (_, i) => `127.0.0.${i + 1}`);
  const { http, tcp } = await freePorts(hosts);
  const proxies = await Promise.all(hosts.map((host) => startProxy(host, tcp)));
  const start = async (own: string, i: number): Promise<ClickHouseServer> => {
    const member = (shard: number | string) => {
      const number = typeof shard === "number" ? shard : 1;
      const port = proxies[number - 1]?.port ?? tcp;
      const host = typeof shard === "number" ? hosts[number - 1] : shard;
      return `<shard><replica><host>${host}</host><port>${port}</port></replica></shard>`;
    };
    const all = { [CLUSTER]: hosts.map((_, shard) => shard + 1), ...options.others };
    const clusters = Object.entries(all).map(
      ([name, listed]) => `<${name}>${listed.map(member).join("")}</${name}>`,
    );
    const configuration = `<remote_servers>${clusters.join("")}</remote_servers>${options.configuration ?? ""}`;
    const server = await startClickHouse({ ...options, configuration, ports: { host: own, http, tcp } });
    return {
      ...server,
      kill: async () => {
        proxies[i]?.close();
        await server.kill();
      },
    };
  };
  return Promise.all(hosts.map(start));
}

let shared: Promise<readonly ClickHouseServer[]> | null = null;

/** Two shards that all tests of this process share. */
export function sharedShards(): Promise<readonly ClickHouseServer[]> {
  shared ??= startClickHouseCluster(2);
  return shared;
}

/** How the cluster is named to `openEngine`: by a server that is not the first. */
export async function sharedCluster(): Promise<{ readonly url: string; readonly cluster: string }> {
  const servers = await sharedShards();
  return { url: servers.at(-1)?.url ?? "", cluster: CLUSTER };
}

/** The name of a database that is on none of the servers yet and goes with the test. */
export function scratchOnShards(servers: readonly ClickHouseServer[]): string {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  onTestFinished(async () => {
    for (const { url } of servers) {
      const client = createClient({ url });
      for (const one of [name, `${name}_shard`])
        await client.command({ query: `DROP DATABASE IF EXISTS ${one}` });
      await client.close();
    }
  });
  return name;
}
