import { StoreError, UnsupportedError } from "../../errors.ts";
import { openClient } from "../server/client.ts";
import type { ClickHouseOptions } from "../server/options.ts";

/**
 * The HTTP interfaces of the shards of a cluster, with protocol and port of `url`; `url` alone where no cluster is named, or one of a
 * single shard. Throws `StoreError` `unknown_cluster`, and `other_cluster` where a server is several shards.
 */
export async function shardUrls(options: ClickHouseOptions): Promise<readonly string[]> {
  const { url, cluster } = options;
  if (cluster === undefined) return [url];
  const server = await openClient(options, "system");
  try {
    const found = await server.rows(
      "SELECT shard_num, any(host_name), count() FROM system.clusters WHERE cluster = {cluster: String} GROUP BY shard_num ORDER BY shard_num",
      { cluster },
    );
    if (found.length === 0) {
      throw new StoreError(
        "unknown_cluster",
        `${url}: system.clusters has no cluster ${cluster}; name one that it has, or add it to remote_servers in the server's configuration`,
      );
    }
    if (found.length === 1) return [url];
    if (found.some(([, , replicas]) => Number(replicas) > 1)) {
      throw new UnsupportedError(
        "replicas",
        `${url}: the shards of the cluster ${cluster} have several replicas each, which is not offered; name a cluster of one replica a shard, or one shard`,
      );
    }
    return eachOnce(
      found.map(([, host]) => urlOf(url, String(host))),
      cluster,
    );
  } finally {
    await server.close();
  }
}

function eachOnce(urls: readonly string[], cluster: string): readonly string[] {
  const twice = urls.find((url, i) => urls.indexOf(url) !== i);
  if (twice === undefined) return urls;
  throw new StoreError(
    "other_cluster",
    `${twice}: several shards of the cluster ${cluster} are this server; list each server once in remote_servers, under a host name of its own`,
  );
}

function urlOf(url: string, host: string): string {
  const own = new URL(url);
  own.hostname = host.includes(":") ? `[${host}]` : host;
  return own.href.replace(/\/$/, "");
}
