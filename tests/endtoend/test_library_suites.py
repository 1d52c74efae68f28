"""The adapters are driven by their libraries' own tests, where somebody has these libraries' repositories.

Nothing of them is in ours: `SAMEMIND_LIBRARY_SUITES` names a folder with checkouts of `langgraph` and
`openai-agents-python`. What is left out tests something else than the contract, and says what.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import environment

# Importing it would put our store in the place of theirs here.
STANDS_IN = Path(__file__).parents[1] / "support" / "library_suites.py"
SUITES = os.environ.get("SAMEMIND_LIBRARY_SUITES")
LANGGRAPH = {
    "test_vector_store_initialization": "how their index is configured",
    "test_embed_with_path": "scores of their embedder",
    "test_scores": "scores of their embedder",
    "test_sql_injection_vulnerability": "puts what looks like a password, which is held back here",
    "test_escape_glob_literal": "inside of their SQL",
    "test_namespace_match_pattern": "inside of their SQL",
    "test_list_namespaces_prefix_uses_indexable_condition": "inside of their SQL",
    "test_nonnull_migrations": "inside of their SQL",
    "test_async_batch_store": "their batching of calls, with a spy",
}
AGENTS = {
    "close": "connections of theirs; a memory is closed by whoever opened it",
    "closed": "the same",
    "corrupt": "rows of theirs that are damaged",
    "file_lock": "locks of their file",
    "rolls_back": "inside of their SQL",
    "releases_write_lock": "inside of their SQL",
    "evicts_connection": "inside of their SQL",
    "post_commit": "inside of their SQL",
    "await_mutation": "inside of their SQL",
}
RUNS = (
    (
        "langgraph",
        "libs/checkpoint/tests/test_store.py",
        ("libs/checkpoint/tests/embed_test_utils.py",),
        LANGGRAPH,
    ),
    ("langgraph", "libs/checkpoint-sqlite/tests/test_store.py", (), LANGGRAPH),
    ("openai-agents-python", "tests/memory/test_session.py", ("tests/test_responses.py",), AGENTS),
)


@pytest.mark.slow
@pytest.mark.skipif(
    SUITES is None, reason="SAMEMIND_LIBRARY_SUITES names no folder of the libraries' repositories"
)
@pytest.mark.parametrize(("library", "suite", "beside", "left_out"), RUNS, ids=[run[1] for run in RUNS])
def test_a_library_s_own_tests_pass(
    library: str, suite: str, beside: tuple[str, ...], left_out: dict[str, str], tmp_path: Path
) -> None:
    source, target = Path(SUITES or "") / library, tmp_path / "tests"
    target.mkdir()
    (target / "__init__.py").touch()
    for path in (suite, *beside):
        shutil.copy(source / path, target)
    shutil.copy(STANDS_IN, target / "conftest.py")
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-n", "0",
            "--rootdir", str(tmp_path), "-k", " and ".join(f"not {each}" for each in left_out),
            f"tests/{Path(suite).name}",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=600,
        env={**environment(), "OPENAI_API_KEY": "none", "OPENAI_AGENTS_DISABLE_TRACING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
    assert " passed" in done.stdout
