import type { ParquetFiles } from "../../ingest/formats/parquet-files.ts";
import type { Loader } from "../../ingest/loader.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { Store } from "../../store/session.ts";

/** What loads need. */
export interface LoadContext {
  readonly parquet: ParquetFiles;
  readonly conventions: Conventions;
  readonly loader: Loader;
  readonly store: Store;
}
