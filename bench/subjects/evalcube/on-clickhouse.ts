import { setTimeout as pause } from "node:timers/promises";
import { openEngine } from "../../../src/index.ts";
import { startClickHouse } from "../../../test/support/clickhouse-server.ts";
import type { Subject } from "../subject.ts";
import { throughEngine } from "./through-engine.ts";

/** What merges replace goes at once, so that the store has the size that it keeps. */
export const CONFIGURATION = `<merge_tree>
  <old_parts_lifetime>1</old_parts_lifetime>
  <cleanup_delay_period>1</cleanup_delay_period>
  <max_cleanup_delay_period>1</max_cleanup_delay_period>
  <cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>
</merge_tree>`;

/** This package over a ClickHouse server that runs beside it and is asked over HTTP. */
export function evalcubeOnClickHouse(): Subject {
  return throughEngine("evalcube-clickhouse", async (store) => {
    // The coordinator of this server forgets all when it ends.
    const server = await startClickHouse({
      folder: store,
      coordinator: false,
      configuration: CONFIGURATION,
    });
    const clickhouse = { url: server.url, database: "evalcube" };
    const engine = await openEngine({ clickhouse, keepAnswers: false });
    return {
      engine,
      close: async () => {
        await engine.close();
        await merged(server.url);
        await server.kill();
      },
    };
  });
}

/** Waits until the server merges nothing and what it has merged is gone. */
export async function merged(url: string): Promise<void> {
  const statement = `SELECT (SELECT count() FROM system.merges) + (SELECT count() FROM system.parts WHERE NOT active)`;
  while ((await ask(url, statement)) !== "0") await pause(200);
}

export async function ask(url: string, statement: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: statement });
  const text = (await response.text()).trim();
  if (!response.ok) throw new Error(`${url}: ${text}`);
  return text;
}
