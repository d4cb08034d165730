"""Logs with W&B's Python SDK, reads back what it wrote, and prints what it saw as one JSON object a scenario."""

import asyncio
import datetime
import json
import os

import weave
from weave import Dataset, Evaluation, EvaluationLogger, Model, Scorer
from weave.flow import leaderboard

ROWS = int(os.environ.get("ROWS", "6"))
TRIALS = int(os.environ.get("TRIALS", "2"))
client = weave.init(os.environ["WEAVE_PROJECT"])


def tell(scenario, **seen):
    print(json.dumps({"scenario": scenario, **seen}), flush=True)


class Adder(Model):
    offset: int = 0

    @weave.op
    def predict(self, question: str, n: int):
        if n == 3 and self.offset > 0:
            raise ValueError("on purpose")
        return {"answer": n + 1 + self.offset, "p": (n * 37 % 100) / 100}


@weave.op
def exact(output, n):
    return output is not None and output["answer"] == n + 1


@weave.op
def confidence(output):
    return output["p"] if output is not None else None


@weave.op
def length(output):
    return {"chars": len(str(output))}


class Judge(Scorer):
    @weave.op
    def score(self, output, n):
        p = output["p"] if output is not None else 0.0
        return {"helpfulness": p, "ok": p > 0.5}


def evaluation(name):
    rows = [{"question": f"What is {i} + 1?", "n": i} for i in range(ROWS)]
    dataset = Dataset(name="sums", rows=weave.Table(rows))
    return Evaluation(name=name, dataset=dataset, scorers=[exact, confidence, length, Judge()], trials=TRIALS)


def evaluate():
    runs = []
    for offset in (0, 1):
        summary = asyncio.run(evaluation(f"by-{offset}").evaluate(Adder(name=f"adder-{offset}", offset=offset)))
        runs.append(summary)
    client.flush()
    roots = [call for call in client.get_calls(filter={"trace_roots_only": True}) if "Evaluation.evaluate" in call.op_name]
    back = [{"id": call.id, "output": dict(call.output)} for call in roots]
    children = [len(list(call.children())) for call in roots]
    tell("evaluation", summaries=runs, back=back, children=children)


def logger():
    log = EvaluationLogger(name="logged", model="by-hand", dataset="few")
    for i in range(3):
        prediction = log.log_prediction(inputs={"question": f"What is {i} + 1?"}, output={"answer": i})
        prediction.log_score(scorer="right", score=i % 2 == 0)
        prediction.log_score(scorer="grade", score={"value": i / 4, "notes": {"n": i}})
        prediction.finish()
    log.log_summary({"note": "done"})
    client.flush()
    root = [call for call in client.get_calls(filter={"trace_roots_only": True}) if call.display_name == "logged"]
    tell("logger", ids=[call.id for call in root], note=root[0].output["output"]["note"] if "output" in root[0].output else root[0].output["note"])


@weave.op
def greet(name):
    return f"hello {name}"


@weave.op
def greet_all(names):
    return [greet(name) for name in names]


@weave.op
def broken():
    raise ValueError("broken on purpose")


def traces():
    with weave.attributes({"env": "test"}), weave.thread("a-thread"):
        result, call = greet_all.call(["ann", "çelik"])
    call.set_display_name("renamed")
    try:
        broken()
    except ValueError:
        pass
    client.flush()
    call.feedback.add_reaction("👍")
    call.feedback.add_note("good")
    call.feedback.add("custom", {"a": 1.0})
    client.flush()
    back = client.get_call(call.id)
    feedback = sorted((one.feedback_type, json.dumps(dict(one.payload), ensure_ascii=False)) for one in back.feedback)
    back.feedback.purge(next(one.id for one in back.feedback if one.feedback_type == "custom"))
    failed = [one.exception for one in client.get_calls(filter={"trace_roots_only": True}) if one.exception]
    tell(
        "traces",
        name=back.display_name,
        output=list(back.output),
        env=back.attributes["env"],
        children=[child.output for child in back.children()],
        feedback=feedback,
        left=sorted(one.feedback_type for one in client.get_call(call.id).feedback),
        failed=["broken on purpose" in exception for exception in failed],
    )
    back.delete()
    gone = [one.id for one in client.get_calls(filter={"trace_roots_only": True}) if one.id == call.id]
    tell("deletion", gone=gone)


def publish():
    rows = [{"n": i, "w": i / 8, "text": "généré", "big": 9007199254740993} for i in range(1100)]
    ref = weave.publish(Dataset(name="many", rows=rows))
    back = weave.ref(ref.uri()).get()
    weave.publish({"a": 1.0, "b": [1, 2]}, name="thing")
    weave.publish({"a": 2.0}, name="thing")
    tell(
        "publish",
        count=len(back.rows),
        same=[dict(row) for row in back.rows] == rows,
        latest=dict(weave.ref("thing:latest").get()),
        first=dict(weave.ref("thing:v0").get()),
    )


def board():
    one = evaluation("on-board")
    for offset in (0, 2):
        asyncio.run(one.evaluate(Adder(name=f"adder-{offset}", offset=offset)))
    client.flush()
    column = leaderboard.LeaderboardColumn(
        evaluation_object_ref=one.ref.uri(), scorer_name="exact", summary_metric_path="true_fraction"
    )
    spec = leaderboard.Leaderboard(name="board", description="adders", columns=[column])
    ref = weave.publish(spec)
    results = leaderboard.get_leaderboard_results(spec, client)
    scores = sorted(score.value for result in results for score in result.column_scores[0].scores)
    tell("leaderboard", scores=scores, name=weave.ref(ref.uri()).get().name)


def prices():
    client.add_cost("a-model", 0.5, 1.5)
    client.add_cost("another", 0.25, 0.75)
    found = sorted(client.query_costs(llm_ids=["a-model", "another"]), key=lambda one: one.llm_id)
    client.purge_costs([one.id for one in found if one.llm_id == "another"])
    tell(
        "prices",
        found=[[one.llm_id, one.prompt_token_cost, one.completion_token_cost] for one in found],
        left=[one.llm_id for one in client.query_costs()],
    )


def figures():
    _, call = greet.call("bea")
    client.flush()
    for size in (1, 2, 6):
        call.feedback.add("sized", {"size": size})
    client.flush()
    now = datetime.datetime.now(datetime.timezone.utc)
    day = {"start": now - datetime.timedelta(days=1), "end": now + datetime.timedelta(days=1)}
    project = client.project_id
    asked = {"json_path": "size", "value_type": "numeric", "aggregations": ["avg", "max", "count"]}
    found = client.server.feedback_stats({"project_id": project, "feedback_type": "sized", "metrics": [asked], **day})
    schema = client.server.feedback_payload_schema({"project_id": project, "feedback_type": "sized", **day})
    tell(
        "figures",
        size=dict(found.window_stats["size"]),
        paths=[[one.json_path, one.value_type] for one in schema.paths],
    )


SCENARIOS = {"evaluation": evaluate, "logger": logger, "traces": traces, "publish": publish, "leaderboard": board, "prices": prices, "figures": figures}
for name in os.environ.get("SCENARIOS", ",".join(SCENARIOS)).split(","):
    SCENARIOS[name]()
client.finish() if hasattr(client, "finish") else client.flush()
tell("end", version=weave.__version__)
