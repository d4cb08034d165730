import type { ComponentChildren, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Answers, AwaitedPart } from "../model/answers.ts";
import { shownIn, type Shown } from "../model/shown.ts";
import { candidateOf } from "../model/sliced.ts";
import { AllScoresPart } from "../parts/sections/all-scores.tsx";
import { Banner } from "./banner.tsx";
import { ConclusionPart, EmptyPart } from "../parts/sections/conclusion.tsx";
import { CostPart } from "../parts/sections/cost.tsx";
import { DifferencesPart } from "../parts/sections/differences.tsx";
import { DistributionPart } from "../parts/sections/distribution.tsx";
import { HistoryPart } from "../parts/sections/history.tsx";
import { ItemsPart } from "../parts/sections/items.tsx";
import { LeaderboardPart } from "../parts/sections/leaderboard.tsx";
import { MissingPart } from "../parts/sections/missing.tsx";
import { NotesPart } from "../parts/sections/notes.tsx";
import { RunsPart } from "../parts/sections/runs.tsx";
import { StepsPart } from "../parts/sections/steps.tsx";
import { SlicesPart } from "../parts/sections/slices.tsx";
import { useFramed } from "../parts/frame.ts";
import type { LatestActions, PageActions } from "../parts/page-actions.ts";
import { Reading } from "../parts/section.tsx";
import { SeveralTrialsPart } from "../parts/sections/several-trials.tsx";

interface PageProps {
  readonly answers: Answers;
  /** What the answers do not have yet. */
  readonly awaited?: AwaitedPart | null;
  /** Name of the headline dimension, `scorer` or `scorer.path`; null where there is none. */
  readonly score: string | null;
  /** Absent while nothing can be pressed: in the static file. */
  readonly actions?: PageActions | undefined;
  /** The section of rows. */
  readonly rows: ComponentChildren;
  /** What can be chosen beside the score; absent in a report. */
  readonly controls?: ComponentChildren;
  /** Filters of the view; absent in a report. */
  readonly filters?: ComponentChildren;
  /** What could not be done. */
  readonly failures?: ComponentChildren;
  /**
   * Whether conclusion, leaderboard and rows are drawn a frame before all else. Not where a script takes over a drawn
   * page.
   */
  readonly gradual?: boolean;
}

/** The page with all of its sections. */
export function Page(props: PageProps): VNode {
  const { answers, awaited = null, score, actions, rows, failures, gradual = false } = props;
  const isWhole = useFramed() || !gradual;
  const latest = useRef(actions);
  latest.current = actions;
  const candidate = actions?.candidate ?? null;
  // Drawn again only with other answers: not when a row is opened, or rows are asked for.
  const figures = useMemo(() => {
    const shown = shownIn(answers, score, awaited);
    return shown === null ? null : <Figures {...{ shown, isWhole, candidate, latest }} />;
  }, [answers, score, awaited, isWhole, candidate, actions === undefined]);
  const notes = useMemo(
    () => (
      <>
        <RunsPart answers={answers} />
        <NotesPart answers={answers} />
      </>
    ),
    [answers],
  );
  return (
    <div class="page">
      <Banner {...props} actions={actions} />
      <main {...(isWhole ? {} : { class: "early", "aria-busy": true })}>
        {failures}
        {figures ?? <EmptyPart answers={answers} />}
        {score === null ? null : rows}
        {isWhole ? notes : null}
      </main>
      <footer class="foot" role="contentinfo">
        <p>
          Every figure is one that evalcube answered. Rows are the sampling unit: trials of a row are averaged
          first.
        </p>
      </footer>
    </div>
  );
}

interface FiguresProps {
  readonly shown: Shown;
  readonly candidate: string | null;
  readonly latest: LatestActions;
  readonly isWhole: boolean;
}

function Figures({ shown, isWhole, candidate, latest }: FiguresProps): VNode {
  const concluded = shown.awaited !== "comparison";
  const compared = concluded && isWhole;
  const all = shown.awaited === null && isWhole;
  const whose = candidateOf(shown, candidate);
  return (
    <>
      {concluded ? (
        <ConclusionPart shown={shown} candidate={whose} />
      ) : (
        <Reading kind="conclusion" title="Conclusion" />
      )}
      <LeaderboardPart shown={shown} />
      {compared ? <DifferencesPart shown={shown} /> : <Reading kind="differences" title="Differences" />}
      {all ? <StepsPart {...{ shown, latest }} candidate={whose} /> : null}
      {compared ? <SlicesPart {...{ shown, latest }} candidate={whose} /> : null}
      {all ? <HistoryPart answers={shown.answers} candidate={whose?.name.id} latest={latest} /> : null}
      {all ? <ItemsPart {...{ shown, latest }} /> : null}
      {isWhole ? <SeveralTrialsPart shown={shown} /> : null}
      {all ? <DistributionPart shown={shown} /> : <Reading kind="distribution" title="Distribution" />}
      {all ? <CostPart shown={shown} /> : null}
      {compared ? <AllScoresPart shown={shown} /> : null}
      {all ? (
        <MissingPart shown={shown} latest={latest} />
      ) : (
        <Reading kind="missing" title="Missing and failed trials" />
      )}
    </>
  );
}
