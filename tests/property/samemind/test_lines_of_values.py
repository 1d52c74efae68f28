"""Whatever a field may hold goes out as a line of JSON and comes back as it was."""

import json

from hypothesis import given
from hypothesis import strategies as st

from replica import Value
from samemind.portable import jsonl
from samemind.portable.records import Setting

PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20) | st.binary(max_size=20)
)  # fmt: skip
NAMES = st.text(min_size=1, max_size=10) | st.sampled_from(["base64", "map"])
VALUES = PLAIN | st.lists(st.text(max_size=5), max_size=3) | st.dictionaries(NAMES, PLAIN, max_size=3)


@given(value=VALUES.filter(lambda value: value is not None))
def test_a_setting_of_any_value_goes_out_and_comes_back_as_it_was(value: Value) -> None:
    line = jsonl.setting_line("of-a-later-version", value)
    json.loads(line)
    (record,) = jsonl.read([line])
    assert isinstance(record, Setting)
    assert record.value == value
    assert type(record.value) is type(value)
