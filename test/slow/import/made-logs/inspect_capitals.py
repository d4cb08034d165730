from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate

QUESTIONS = str(Path(__file__).with_name("capitals.jsonl"))


@task
def capitals():
    """Three rows and two scorers; the model answers always the same."""
    fields = FieldSpec(input="question", target="answer", id="id")
    return Task(dataset=json_dataset(QUESTIONS, fields), solver=generate(), scorer=[match(), includes()])
