"""One evaluation with W&B's Python SDK; prints how long it took until everything was sent."""

import asyncio
import os
import time

import weave
from weave import Dataset, Evaluation, Model, Scorer

rows = [{"question": f"What is {i} + 1?", "n": i} for i in range(int(os.environ["ROWS"]))]
client = weave.init(os.environ["WEAVE_PROJECT"])


class Adder(Model):
    @weave.op
    def predict(self, question: str, n: int):
        return {"answer": n + 1, "p": (n * 37 % 100) / 100}


@weave.op
def exact(output, n):
    return output["answer"] == n + 1


@weave.op
def odd(output):
    return {"odd": output["answer"] % 2 == 1, "p": output["p"]}


@weave.op
def length(output):
    return len(str(output["answer"]))


class Judge(Scorer):
    @weave.op
    def score(self, output, n):
        return {"helpfulness": output["p"], "ok": output["p"] > 0.5}


began = time.monotonic()
dataset = Dataset(name="sums", rows=weave.Table(rows))
evaluation = Evaluation(
    name="sums-eval", dataset=dataset, scorers=[exact, odd, length, Judge()], trials=int(os.environ["TRIALS"])
)
asyncio.run(evaluation.evaluate(Adder(name="adder")))
client.finish() if hasattr(client, "finish") else client.flush()
print(f"SECONDS {time.monotonic() - began}", flush=True)
