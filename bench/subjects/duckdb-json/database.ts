import { DuckDBInstance, listValue, type DuckDBConnection, type DuckDBValue } from "@duckdb/node-api";

export type Parameters = Record<string, string | number | readonly string[]>;
export type Row = Record<string, unknown>;

/** A database file with a connection for each statement under way, so that statements run side by side. */
export interface Database {
  run(sql: string, parameters?: Parameters): Promise<Row[]>;
  close(): void;
}

export async function openDatabase(path: string): Promise<Database> {
  const instance = await DuckDBInstance.create(path);
  const idle: DuckDBConnection[] = [];
  const all: DuckDBConnection[] = [];
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect();
    all.push(connection);
    return connection;
  };
  return {
    run: async (sql, parameters = {}) => {
      const connection = idle.pop() ?? (await connect());
      const reader = await connection.runAndReadAll(sql, bindable(parameters));
      idle.push(connection);
      return reader.getRowObjectsJS();
    },
    close: () => {
      for (const connection of all) connection.closeSync();
      instance.closeSync();
    },
  };
}

function bindable(parameters: Parameters): Record<string, DuckDBValue> {
  const bound: Record<string, DuckDBValue> = {};
  for (const [name, value] of Object.entries(parameters))
    bound[name] = typeof value === "object" ? listValue(value) : value;
  return bound;
}

/** A text as a literal, for the places where DuckDB takes no parameter. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
