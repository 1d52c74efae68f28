import re

from sync import errors


def test_the_tree_in_the_docstring_is_the_tree_of_classes() -> None:
    drawn = set(re.findall(r"[├└] (\w+)", errors.__doc__ or ""))
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.SyncError)
    }
    assert drawn | {"SyncError"} == defined


def test_a_caller_that_only_wants_to_go_on_catches_one_error() -> None:
    for found in (errors.SelfLink, errors.WrongCode, errors.LinkLost, errors.LimitExceeded):
        assert issubclass(found, errors.SyncError)
    assert issubclass(errors.SelfLink, errors.Untrusted)
