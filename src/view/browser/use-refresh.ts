import { useEffect } from "preact/hooks";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";
import type { Asked } from "../row-parts/use-asked.ts";

const HOUR_MS = 3_600_000;

/** Whether an evaluation runs; one without a trial for an hour is one whose process has died. */
function isUnderWay({ status, started_at, last_trial_at }: EvaluationEntry): boolean {
  return status === "running" && Date.now() - Date.parse(last_trial_at ?? started_at ?? "") < HOUR_MS;
}

const REFRESH_MS = 5000;

/** Asks again as long as one of these is under way, but while nobody sees the page, or a dialog lies over it. */
export function useRefresh(
  { asking, again }: Pick<Asked<unknown>, "asking" | "again">,
  evaluations: readonly EvaluationEntry[] | null | undefined,
): void {
  const wanted = !asking && evaluations?.some(isUnderWay);
  useEffect(() => {
    if (wanted !== true) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden && document.querySelector("dialog[open]") === null) again();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [wanted]);
}
