import type { ParquetFiles } from "../../ingest/formats/parquet-files.ts";
import type { Loader } from "../../ingest/loader.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { StoredRuns } from "../../import/runs/place-runs.ts";
import type { StoredRows } from "../../import/translate/place-rows.ts";

/** What loads need. */
export interface LoadContext {
  readonly parquet: ParquetFiles;
  readonly conventions: Conventions;
  readonly loader: Loader;
  /** What is stored of the runs and rows of a project. */
  readonly stored: (projectId: string) => StoredRuns & StoredRows;
  /** Who stores what names nobody; undefined for nobody. */
  readonly user?: string | undefined;
}
