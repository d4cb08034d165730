import type { Session, FileStore } from "../../store/session.ts";
import { sql, text, type SqlStatement } from "../../store/sql.ts";
import { checkProjectId, checkText } from "../../flow/check-options.ts";
import { epochCache, type EpochCache } from "../../flow/epoch-cache.ts";
import { bindParameters, type StatementParameters } from "./bind-parameters.ts";
import { rewriteStatement, type RewrittenStatement } from "./rewrite-statement.ts";
import { createDimensionCache, readDimensions, type DimensionCache } from "./views/read-dimensions.ts";
import { createWideTables, type Lease, type WideTables } from "./wide/wide-tables.ts";

/** The store, and what is known of it between two writes. */
export interface SqlContext {
  readonly store: FileStore;
  /** The columns that `results` has. */
  readonly dimensions: DimensionCache;
  /** Statements that were asked lately. */
  readonly rewritten: EpochCache<ProjectStatement>;
  readonly wide: WideTables;
}

interface ProjectStatement extends RewrittenStatement {
  readonly projectKey: number;
}

/** Together so many characters. */
const REWRITTEN_CHARACTERS = 2 ** 20;

export function createSqlContext(store: FileStore): SqlContext {
  return {
    store,
    dimensions: createDimensionCache(),
    rewritten: epochCache(REWRITTEN_CHARACTERS, (key, statement) => key.length + statement.text.length),
    wide: createWideTables(store),
  };
}

/** A statement of a user about a project. */
export interface AskedStatement {
  readonly projectId: string;
  readonly statement: string;
  readonly params: StatementParameters;
}

/** Checks and binds a statement, and passes it to `work` so that it reads the project's views. */
export async function overStatement<T>(
  session: Session,
  context: SqlContext,
  asked: AskedStatement,
  signal: AbortSignal | undefined,
  work: (query: SqlStatement) => Promise<T>,
): Promise<T> {
  checkProjectId(asked.projectId);
  checkText("statement", asked.statement);
  const { statement, lease } = await prepare(session, context, asked, signal);
  try {
    const values = bindParameters(statement.parameterNames, asked.params);
    const params = statement.takesProject ? [...values, text(asked.projectId)] : values;
    return await work({ sql: statement.text, params });
  } finally {
    lease?.end();
  }
}

interface PreparedStatement {
  readonly statement: ProjectStatement;
  /** On the wide table that it reads. */
  readonly lease: Lease | null;
}

async function prepare(
  session: Session,
  context: SqlContext,
  asked: AskedStatement,
  signal: AbortSignal | undefined,
): Promise<PreparedStatement> {
  let leased: Promise<Lease | null> | undefined;
  const lease: LeaseTable = (projectKey, dimensions) =>
    (leased ??= context.wide.lease(session, projectKey, dimensions, signal));
  const key = keyOf(asked);
  try {
    const known = knownStatement(session, context, key);
    const table = known === undefined ? null : await lease(known.projectKey, known.wide);
    if (known !== undefined && known.wideTable === (table?.table ?? null))
      return { statement: known, lease: table };
    const statement = await rewrite(session, context, asked, lease);
    if (session.epoch !== null && key !== null) context.rewritten.keep(key, session.epoch, statement);
    return { statement, lease: (await leased) ?? null };
  } catch (error) {
    (await leased?.catch(() => null))?.end();
    throw error;
  }
}

type LeaseTable = (projectKey: number, dimensions: ProjectStatement["wide"]) => Promise<Lease | null>;

function knownStatement(session: Session, context: SqlContext, key: string | null) {
  return session.epoch === null || key === null ? undefined : context.rewritten.find(key, session.epoch);
}

/** All that a rewritten statement depends on; null where a value may not be what a parameter can be. */
function keyOf({ projectId, statement, params }: AskedStatement): string | null {
  const values = Object.entries(params ?? {});
  if (values.some(([, value]) => typeof value === "object" && value !== null)) return null;
  return JSON.stringify([
    projectId,
    statement,
    values.map(([name, value]) => [name, typeof value, String(value)]),
  ]);
}

async function rewrite(
  session: Session,
  { dimensions }: SqlContext,
  { projectId, statement, params }: AskedStatement,
  lease: LeaseTable,
): Promise<ProjectStatement> {
  const [found] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  const projectKey = found === undefined ? -1 : Number(found[0]);
  const rewritten = await rewriteStatement(session, statement, params, {
    key: projectKey,
    dimensions: () => readDimensions(session, dimensions, projectKey),
    wideTable: async (wide) => (await lease(projectKey, wide))?.table ?? null,
  });
  return { ...rewritten, projectKey };
}
