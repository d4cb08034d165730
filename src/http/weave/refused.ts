/** Endpoints of W&B's own service that are left out: no evaluation calls them. */
const REFUSED: readonly RegExp[] = [
  /^\/(completions|evaluations|cost|threads|agents|dataset_sources|project)(\/|$)/,
  /^\/annotation_queues/,
  /^\/(image\/create|calls\/score|obj\/delete|trace\/usage|calls\/usage|calls\/stats)$/,
  /^\/(tags|aliases)(\/|$)/,
  /^\/objs\/.+\/(tags|aliases)(\/|$)/,
  /^\/v2\/[^/]+\/[^/]+\/(datasets|models|scorers|evaluations|evaluation_runs|predictions|scores|ops|runtimes)(\/|$)/,
];

/** Whether a path is one of an endpoint that is left out on purpose. */
export function isRefused(path: string): boolean {
  return REFUSED.some((pattern) => pattern.test(path));
}
