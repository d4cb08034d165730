import { at } from "../../model/json.ts";
import { isCommit, readEvent } from "../../runners/checkout.ts";

/** Where the comments of a pull request are, and what is sent with each request. */
export interface CommentPlace {
  readonly api: string;
  /** The path of the comments. */
  readonly comments: string;
  /** The path of one of them, without its id. */
  readonly comment: string;
  /** How one is changed. */
  readonly change: "PATCH" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
}

/** What a job on GitHub or GitLab tells of itself. */
export interface Job {
  readonly isGitHub: boolean;
  /** How often the job was started, as far as it tells. */
  readonly attempt: number;
  /** The branch that a pull request is for. */
  readonly base: string;
  /** Commits of that branch. */
  readonly commits: readonly string[];
  /** What a job of a pull request says to get the whole history; null in another job. */
  readonly deepening: string | null;
  /** A text says why there is none. */
  readonly place: CommentPlace | string;
  /** Files for what people read and for later steps; empty where there are none. */
  readonly summary: string;
  readonly output: string;
}

/** Variables that count attempts of a job, and what to add to them: GitHub, Azure Pipelines and Buildkite. */
const ATTEMPTS = [
  ["GITHUB_RUN_ATTEMPT", 0],
  ["SYSTEM_JOBATTEMPT", 0],
  ["BUILDKITE_RETRY_COUNT", 1],
] as const;

function attemptIn(text: string, before: number): number {
  return /^\d{1,4}$/.test(text) ? Number(text) + before : 1;
}

/** What a reader should know of a job that was started again. */
export function attemptNotes({ attempt }: Job): string[] {
  if (attempt < 2) return [];
  const shares = "10 points on 400 rows: 3 % once, 7 % in three";
  return [
    `attempt ${attempt}: a job that is repeated until it passes lets a true loss through more often (${shares})`,
  ];
}

/** Reads the variables of a job. */
export function readJob(env: Readonly<Record<string, string | undefined>>): Job {
  const of = (name: string) => env[name] ?? "";
  const event = readEvent(env["GITHUB_EVENT_PATH"]);
  const commits = [of("CI_MERGE_REQUEST_DIFF_BASE_SHA"), at(event, "pull_request", "base", "sha")];
  const [target, merged] = [of("GITHUB_BASE_REF"), of("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")];
  return {
    isGitHub: of("GITHUB_ACTIONS") === "true",
    attempt: Math.max(1, ...ATTEMPTS.map(([name, before]) => attemptIn(of(name), before))),
    base: target || merged || "main",
    deepening: target !== "" ? "fetch-depth: 0" : merged !== "" ? "GIT_DEPTH: 0" : null,
    commits: commits.map(String).filter(isCommit),
    place: of("CI_API_V4_URL") === "" ? onGitHub(of, event) : onGitLab(of),
    summary: of("GITHUB_STEP_SUMMARY"),
    output: of("GITHUB_OUTPUT"),
  };
}

function onGitHub(of: (name: string) => string, event: unknown): Job["place"] {
  const [api, repository, token] = [of("GITHUB_API_URL"), of("GITHUB_REPOSITORY"), of("GITHUB_TOKEN")];
  const number = at(event, "pull_request", "number");
  if (api === "" || repository === "" || typeof number !== "number")
    return "this is no job of a pull request";
  if (token === "") return "GITHUB_TOKEN is not set";
  const issues = `/repos/${repository}/issues`;
  return {
    api,
    comments: `${issues}/${number}/comments`,
    comment: `${issues}/comments/`,
    change: "PATCH",
    headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
  };
}

function onGitLab(of: (name: string) => string): Job["place"] {
  const [project, number, token] = [of("CI_PROJECT_ID"), of("CI_MERGE_REQUEST_IID"), of("COMMENT_TOKEN")];
  if (project === "" || number === "") return "this is no job of a merge request";
  if (token === "") return "COMMENT_TOKEN is not set";
  const comments = `/projects/${project}/merge_requests/${number}/notes`;
  const headers = { "private-token": token };
  return { api: of("CI_API_V4_URL"), comments, comment: `${comments}/`, change: "PUT", headers };
}
