"""The command lm_eval with its model `dummy`, without the tokenizer that it would fetch to note its name."""

from lm_eval.__main__ import cli_evaluate
from lm_eval.models.dummy import DummyLM

if hasattr(DummyLM, "tokenizer"):
    del DummyLM.tokenizer
cli_evaluate()
