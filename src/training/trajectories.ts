import { isJsonObject, writeJson, type Json } from "../model/json.ts";
import { parseTimestamp } from "../model/timestamp.ts";
import type { SentTrajectory } from "./read-job.ts";

/** The values of a trajectory that are kept in columns, beside the request as it was sent. */
export interface TrajectoryRecord {
  readonly groupIndex: number;
  readonly trajectoryIndex: number;
  /** Reward; 0 when none was sent. */
  readonly reward: number;
  readonly initialPolicyVersion: number | null;
  readonly finalPolicyVersion: number | null;
  /** JSON text of an object. */
  readonly metrics: string;
  /** Microseconds since 1970; null when none was sent. */
  readonly startTime: bigint | null;
}

const DEFAULT_REWARD = 0;

export function trajectoryRecord({
  trajectory,
  group,
  index,
}: Omit<SentTrajectory, "text">): TrajectoryRecord {
  return {
    groupIndex: group,
    trajectoryIndex: index,
    reward: trajectory.reward ?? DEFAULT_REWARD,
    initialPolicyVersion: trajectory.initial_policy_version ?? null,
    finalPolicyVersion: trajectory.final_policy_version ?? null,
    metrics: metricsText(trajectory.metrics ?? {}),
    startTime: trajectory.start_time === undefined ? null : parseTimestamp(trajectory.start_time),
  };
}

function withNulls(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(withNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNulls(one)]));
}

/** A number beyond a double is null here, as `JSON.stringify` has it; the request as it was sent keeps its digits. */
function metricsText(metrics: object): string {
  return writeJson(withNulls(metrics));
}

/** Adds the default reward to every trajectory of a job's request that has none, as trainers expect it. */
export function withRewards(request: Json): Json {
  return mapMember(request, "trajectory_groups", (groups) =>
    mapItems(groups, (group) =>
      mapMember(group, "trajectories", (trajectories) =>
        mapItems(trajectories, (one) => (isJsonObject(one) ? { reward: DEFAULT_REWARD, ...one } : one)),
      ),
    ),
  );
}

function mapMember(value: Json, name: string, change: (member: Json) => Json): Json {
  if (!isJsonObject(value)) return value;
  const member = value[name];
  return member === undefined ? value : { ...value, [name]: change(member) };
}

function mapItems(value: Json, change: (item: Json) => Json): Json {
  return Array.isArray(value) ? value.map(change) : value;
}
