"""Three test cases and two metrics, of which one fails on a case: a judge without a model."""

import inspect

from deepeval import evaluate
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase


class Exact(BaseMetric):
    threshold = 0.5
    evaluation_model = None
    include_reason = True
    strict_mode = False
    async_mode = False
    error = None
    evaluation_cost = None
    verbose_logs = None
    skipped = False

    def measure(self, case, *args, **kwargs):
        self.score = 1.0 if case.actual_output == case.expected_output else 0.25
        self.success = self.score >= self.threshold
        self.reason = "compared"
        return self.score

    async def a_measure(self, case, *args, **kwargs):
        return self.measure(case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return type(self).__name__


class Moody(Exact):
    def measure(self, case, *args, **kwargs):
        if "Fiji" in case.input:
            raise ValueError("no judge")
        return super().measure(case)


ANSWERS = [("Peru", "Lima", "Lima"), ("Chad", "Oslo", "N'Djamena"), ("Fiji", "Suva", "Suva")]
cases = [
    LLMTestCase(input=f"Capital of {country}?", actual_output=answer, expected_output=right, context=["atlas"])
    for country, answer, right in ANSWERS
]
# The later version names the run, and takes its options as objects.
names = inspect.signature(evaluate).parameters
options = {"identifier": "capitals"} if "identifier" in names else {}
if "error_config" in names:
    from deepeval.evaluate import AsyncConfig, ErrorConfig

    options |= {"error_config": ErrorConfig(ignore_errors=True), "async_config": AsyncConfig(run_async=False)}
else:
    options |= {"ignore_errors": True, "run_async": False}
evaluate(cases, [Exact(), Moody()], hyperparameters={"model": "stub"}, **options)
