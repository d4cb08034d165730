import { parseTimestamp } from "../model/timestamp.ts";
import type { JobRequest } from "./job-request.ts";

/** What of a trajectory is kept in columns, beside the request as it was sent. */
export interface TrajectoryRecord {
  readonly groupIndex: number;
  readonly trajectoryIndex: number;
  /** 0 when none was sent. */
  readonly reward: number;
  readonly initialPolicyVersion: number | null;
  readonly finalPolicyVersion: number | null;
  /** JSON object. */
  readonly metrics: string;
  /** Microseconds since 1970. */
  readonly startTime: bigint | null;
}

/** One record a trajectory, in the order of the request. */
export function trajectoryRecords(request: JobRequest): TrajectoryRecord[] {
  return request.trajectory_groups.flatMap((group, groupIndex) =>
    group.trajectories.map((trajectory, trajectoryIndex) => ({
      groupIndex,
      trajectoryIndex,
      reward: trajectory.reward ?? 0,
      initialPolicyVersion: trajectory.initial_policy_version ?? null,
      finalPolicyVersion: trajectory.final_policy_version ?? null,
      metrics: JSON.stringify(trajectory.metrics ?? {}),
      startTime: trajectory.start_time === undefined ? null : parseTimestamp(trajectory.start_time),
    })),
  );
}
