"""Keys of NATS servers' users, as others write them."""

import pytest

from sync.mailbox.nkeys import new_seed, public_nkey, read_seed

# Made by NATS' own `nkeys` 0.2.1.
SEED = "SUAHVSU7C5GSSGVFHG33GDELV7ZESKIRHAHIDAMEDXRH7EGRIHGOWTVMCE"
PUBLIC = "UD7WTI2EKQ2ESEYFQ2CKHTC2TS6L3OI3JF47JXNRPSVVDBBC3APGYIIE"


def test_a_seed_is_read_as_its_makers_read_it() -> None:
    assert public_nkey(read_seed(SEED)) == PUBLIC


def test_what_is_written_is_read_again() -> None:
    key = read_seed(new_seed(bytes(range(32))))
    assert key.private_bytes_raw() == bytes(range(32))


@pytest.mark.parametrize(
    "seed",
    ["", "SU", SEED[:-1], SEED[:-1] + "F", PUBLIC, SEED.lower(), "ü" * 58, SEED + "A", "SA" + SEED[2:]],
)
def test_what_is_no_seed_is_refused_and_not_repeated(seed: str) -> None:
    with pytest.raises(ValueError, match="expected a user's seed") as caught:
        read_seed(seed)
    assert len(seed) < 3 or seed not in str(caught.value)


def test_a_seed_is_made_of_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 random bytes"):
        new_seed(b"short")
