import { drainPending, Session } from "chdb";

export type Parameters = Record<string, string | number | readonly string[]>;
export type Row = Record<string, unknown>;

export interface Database {
  run(sql: string, parameters?: Parameters): Promise<Row[]>;
  close(): Promise<void>;
}

/** ClickHouse in this process, with its data in a folder. One process opens one folder at a time. */
export async function openDatabase(folder: string): Promise<Database> {
  await drainPending();
  const session = new Session(folder);
  return {
    run: async (sql, parameters = {}) => {
      const result = await session.queryBindAsync(sql, parameters, { format: "JSONEachRow" });
      return result
        .text()
        .split("\n")
        .filter((line) => line !== "")
        .map((line): Row => JSON.parse(line));
    },
    close: async () => {
      session.close();
      await drainPending();
    },
  };
}
