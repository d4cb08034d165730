type Members = Readonly<Record<string, unknown>>;

/** A result of promptfoo. */
export function result(promptIdx: number, testIdx: number, score: number, others: Members = {}) {
  return {
    id: `id-${promptIdx}-${testIdx}`,
    promptIdx,
    testIdx,
    provider: { id: "openai:m", label: "" },
    prompt: { raw: `Say {{word}}`, label: `prompt ${promptIdx}` },
    vars: { word: `w${testIdx}`, sessionId: `s-${promptIdx}-${testIdx}`, _run: promptIdx },
    response: {
      output: `out ${score}`,
      raw: { huge: "x" },
      tokenUsage: { total: 5, prompt: 3, completion: 2 },
    },
    success: score > 0.5,
    score,
    namedScores: { correct: score },
    gradingResult: { pass: score > 0.5, reason: "because", componentResults: [] },
    latencyMs: 100 * (testIdx + 1),
    cost: 0.001,
    testCase: { description: `test ${testIdx}`, metadata: { band: "a" } },
    failureReason: score > 0.5 ? 0 : 1,
    ...(score > 0.5 ? {} : { error: "assertion failed" }),
    ...others,
  };
}

type Result = ReturnType<typeof result>;

/** The figures that promptfoo states of the results of one prompt. */
export function metrics(results: readonly Result[], errors = 0) {
  const sum = (of: (one: Result) => number) => results.reduce((total, one) => total + of(one), 0);
  const passed = results.filter((one) => one.success).length;
  return {
    score: sum((one) => one.score),
    testPassCount: passed,
    testFailCount: results.length - passed - errors,
    testErrorCount: errors,
    totalLatencyMs: sum((one) => one.latencyMs),
    tokenUsage: { total: sum(() => 5) },
    namedScores: { correct: sum((one) => one.namedScores.correct ?? 0) },
  };
}

/** A log of promptfoo with one prompt for each list of results. */
export function promptfooLog(columns: readonly (readonly Result[])[], others: Members = {}) {
  return {
    evalId: "eval-1",
    results: {
      version: 3,
      timestamp: "2026-01-01T00:00:00.000Z",
      prompts: columns.map((results, i) => ({
        raw: "Say {{word}}",
        label: `prompt ${i}`,
        provider: "openai:m",
        metrics: metrics(results),
      })),
      results: columns.flat().toReversed(),
      stats: {},
      ...others,
    },
    config: { description: "words", tests: [{ vars: {} }], env: { KEY: "secret" } },
    metadata: { promptfooVersion: "0.123.1" },
  };
}
