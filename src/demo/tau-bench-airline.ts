import type { FigureSource } from "./figures.ts";

/**
 * τ-bench, airline domain: the tool-calling agent with gpt-4o, 50 tasks, 4 trials each. Figures only: the
 * reward of each trial.
 *
 * Source: github.com/sierra-research/tau-bench, commit 59a200c6d575d595120f1cb70fea53cef0632f6b,
 * historical_trajectories/gpt-4o-airline.json. MIT licence, Copyright (c) 2024 Sierra.
 */
export const tauBenchAirline = {
  project: "demo/tau-bench-airline",
  name: "tau-bench-airline",
  source: {
    title: "τ-bench, airline domain",
    repository: "https://github.com/sierra-research/tau-bench",
    commit: "59a200c6d575d595120f1cb70fea53cef0632f6b",
    files: "historical_trajectories/gpt-4o-airline.json",
    published: "README.md, leaderboard of the airline domain",
    licence: "MIT",
    attribution: "Copyright (c) 2024 Sierra",
  } satisfies FigureSource,
  evaluation: "tau-airline-gpt-4o",
  model: "tool-calling-gpt-4o",
  displayName: "TC (gpt-4o)",
  trials: 4,
  /**
   * One hexadecimal digit per task, in the order of the task ids 0 to 49; its set bits are the trials with reward 1.
   */
  rewards: "042004820008f60311f0f700f0a6085900dff7f8d5f8a964ff",
  /** pass^1 to pass^4 as published by the authors. */
  publishedPassHat: [0.42, 0.273, 0.22, 0.2],
} as const;
