const NAMES = new Set([
  "num_references",
  "num_train_trials",
  "num_train_instances",
  "prompt_truncated",
  "num_prompt_tokens",
  "num_completion_tokens",
  "num_output_tokens",
  "training_co2_cost",
  "training_energy_cost",
  "inference_runtime",
  "batch_size",
  "logprob",
  "num_perplexity_tokens",
  "num_bytes",
  "num_instances",
  "inference_denoised_runtime",
  "inference_idealized_runtime",
  "max_prob",
]);

/** Whether a figure is what HELM counts for itself, and no score. */
export function isBookkeeping(name: string): boolean {
  return NAMES.has(name) || name.startsWith("finish_reason_");
}
