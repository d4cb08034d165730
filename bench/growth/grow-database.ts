import { createClient } from "@clickhouse/client";

/** What is stored for each row or trial, and what is stored once. Records of calls are not copied: no question here reads them. */
const MULTIPLIED = [
  "trials",
  "trial_texts",
  "scores",
  "null_scores",
  "errored_trials",
  "rows",
  "row_digests",
  "gone",
];
const SINGLE = ["loads", "projects", "evaluations", "score_paths"];

/** What is another in each copy; the ids of the calls below a trial stay. Copy 0 is what was there. */
const OF_COPY: Readonly<Record<string, string>> = {
  row_key: "sipHash64(row_key, copy)",
  trial_key: "sipHash64(trial_key, copy)",
  digest: "trim(TRAILING '=' FROM base64URLEncode(SHA256(concat(digest, ' ', toString(copy)))))",
  id: "concat(left(id, 15), substring(hash, 1, 3), '-8', substring(hash, 4, 3), '-', substring(hash, 7, 12))",
};
const HASH_OF_ID = "WITH lower(hex(sipHash128(id, copy))) AS hash ";

/** A server and two databases on it. */
export interface Growth {
  readonly url: string;
  readonly from: string;
  /** Has the same tables, empty. */
  readonly to: string;
  readonly times: number;
}

/**
 * Fills a database with the evaluations of another one, each with several times as many rows and trials. All of it is done by the server,
 * so that it takes a tenth of the time of a load.
 */
export async function growDatabase({ url, from, to, times }: Growth): Promise<void> {
  const client = createClient({
    url,
    request_timeout: 900_000,
    clickhouse_settings: { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: "10000" },
  });
  const column = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: "JSONEachRow" })).json<T>();
  const count = async (name: string): Promise<number> =>
    Number((await column<{ n: string }>(`SELECT count() AS n FROM ${name}`))[0]?.n);
  try {
    for (const table of SINGLE)
      await client.command({ query: `INSERT INTO ${to}.${table} SELECT * FROM ${from}.${table}` });
    for (const table of MULTIPLIED) {
      const columns = await column<{ name: string }>(
        `SELECT name FROM system.columns WHERE database = '${from}' AND table = '${table}' ORDER BY position`,
      );
      const names = columns.map(({ name }) => name);
      const started = performance.now();
      await client.command({ query: copying({ url, from, to, times }, table, names) });
      const [before, after] = [await count(`${from}.${table}`), await count(`${to}.${table}`)];
      if (after !== before * times) throw new Error(`${table}: ${after} records, of ${before} before`);
      console.error(`${table}: ${after} records in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
  } finally {
    await client.close();
  }
}

function copying({ from, to, times }: Growth, table: string, columns: readonly string[]): string {
  const values = columns.map((name) => {
    const copied = OF_COPY[name];
    return copied === undefined ? name : `if(copy = 0, ${name}, ${copied})`;
  });
  return `INSERT INTO ${to}.${table} (${columns.join(", ")})
    ${columns.includes("id") ? HASH_OF_ID : ""}SELECT ${values.join(", ")}
    FROM ${from}.${table} ARRAY JOIN range(${times}) AS copy`;
}
