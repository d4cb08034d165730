import { compileProjectDimensions } from "../../../compile/catalog/dimensions.ts";
import { compileScorePaths } from "../../../compile/catalog/project.ts";
import { scoreColumns, type ScoreColumn } from "../../../plan/trial-table.ts";
import type { Session } from "../../../store/session.ts";
import { epochCache, remembered, type EpochCache } from "../../../flow/epoch-cache.ts";

/** The dimensions of projects, by key. */
export type DimensionCache = EpochCache<readonly ScoreColumn[]>;

const CACHED_DIMENSIONS = 100_000;

export function createDimensionCache(): DimensionCache {
  return epochCache(CACHED_DIMENSIONS, (_key, dimensions) => 1 + dimensions.length);
}

/** The score dimensions of a project as columns, named as in exports; read once between two writes. */
export function readDimensions(
  session: Session,
  cache: DimensionCache,
  projectKey: number,
): Promise<readonly ScoreColumn[]> {
  return remembered(cache, session.epoch, String(projectKey), async () => {
    const paths = await session.all(compileScorePaths(projectKey));
    return scoreColumns(paths, await session.all(compileProjectDimensions(projectKey)));
  });
}
