import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  DuckDBTableFunction,
  INTEGER,
  UBIGINT,
  UTINYINT,
  VARCHAR,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBTableFunctionInfo,
  type DuckDBTableFunctionInitInfo,
  type DuckDBType,
} from "@duckdb/node-api";
import type { Column, PackedColumn } from "../../store/session.ts";
import type { SqlType } from "../../store/sql.ts";
import { setSize, vectorOf } from "../native/vectors.ts";
import { fillVector } from "./fill-vector.ts";

export const DUCKDB_TYPES: Readonly<Record<SqlType, DuckDBType>> = {
  INTEGER,
  BIGINT,
  UBIGINT,
  UTINYINT,
  DOUBLE,
  BOOLEAN,
  VARCHAR,
  BLOB,
};

type Columns = readonly (Column | PackedColumn)[];

/**
 * Columns, by connection, that statements read as `loaded('name')`. A temporary table would serve as well, but it holds
 * its records until the transaction ends.
 */
export interface LoadedColumns {
  readonly set: (connection: DuckDBConnection, name: string, columns: Columns) => void;
  readonly forget: (connection: DuckDBConnection) => void;
}

/** Registers `loaded` with the instance of the connection; must be called once per instance. */
export function registerLoadedColumns(first: DuckDBConnection): LoadedColumns {
  const loaded = new Map<number, Map<string, Columns>>();
  const find = (connectionId: number, name: string): Columns => {
    const columns = loaded.get(connectionId)?.get(name);
    if (columns === undefined) throw new Error(`no columns are loaded as ${name}`);
    return columns;
  };
  first.registerTableFunction(
    DuckDBTableFunction.create({
      name: "loaded",
      parameterTypes: [VARCHAR],
      supportsProjectionPushdown: true,
      bindFunction: (bind) => {
        const columns = find(bind.clientContext.connectionId, String(bind.getParameter(0)));
        for (const { name, type } of columns) bind.addResultColumn(name, DUCKDB_TYPES[type]);
        bind.setCardinality(lengthOf(columns), true);
        bind.setBindData({ columns });
      },
      initFunction: beginScan,
      mainFunction: fillChunk,
    }),
  );
  return {
    set: (connection, name, columns) => {
      const id = connection.clientContext.connectionId;
      const own = loaded.get(id) ?? new Map<string, Columns>();
      loaded.set(id, own.set(name, columns));
    },
    forget: (connection) => loaded.delete(connection.clientContext.connectionId),
  };
}

function lengthOf(columns: Columns): number {
  return columns[0]?.values.length ?? 0;
}

interface Scan {
  /** An entry is undefined where a statement counts records and reads no column. */
  readonly columns: readonly (Columns[number] | undefined)[];
  readonly length: number;
  next: number;
}

function beginScan(info: DuckDBTableFunctionInitInfo): void {
  const { columns } = info.bindData as { readonly columns: Columns };
  const asked = info.getColumnIndexes().map((index) => columns[index]);
  const scan: Scan = { columns: asked, length: lengthOf(columns), next: 0 };
  info.setInitData(scan);
  info.setMaxThreads(1);
}

const CHUNK_SIZE = 2048;

function fillChunk(info: DuckDBTableFunctionInfo, { chunk }: DuckDBDataChunk): void {
  const scan = info.initData as Scan;
  const count = Math.min(CHUNK_SIZE, scan.length - scan.next);
  setSize(chunk, count);
  if (count <= 0) return;
  for (const [c, column] of scan.columns.entries())
    if (column !== undefined) fillVector(vectorOf(chunk, c), column, scan.next, count);
  scan.next += count;
}
