"""What stands in for libraries that a browser cannot load does what they do: the phone's own Python, under node."""

import json
from pathlib import Path
from random import Random

from replica.keys import Ed25519PrivateKey, agree, agreement_key, derive, is_signed, seal
from replica.state.text import EditedText
from tests.support.hostile_signatures import cases
from tests.support.phone_page import run_in_node
from tests.support.phone_wheel import BUILD

# A node that starts Python takes some seconds, so each script tries much.
_KEYS = """
import json
from replica.keys import *

for case in json.load(open(ARGUMENTS[0].replace(ARGUMENTS[1], "/build"))):
    given = [bytes.fromhex(each) for each in case["given"]]
    name, expected = case["call"], case["answer"]
    if name == "is_signed":
        answer = is_signed(*given)
    elif name == "sign":
        answer = Ed25519PrivateKey.from_private_bytes(given[0]).sign(given[1]).hex()
    elif name == "derive":
        answer = derive(given[0], salt=given[1], info=given[2], length=80).hex()
    elif name == "agreement_key":
        answer = agreement_key(*given).hex()
    elif name in ("agree", "unseal"):
        try:
            answer = {"agree": agree, "unseal": unseal}[name](*given).hex()
        except (ValueError, NotSealed) as error:
            answer = type(error).__name__
    else:
        answer = seal(*given).hex()
    assert answer == expected, (case, answer)
print("agreed")
"""


def test_keys_agree_with_the_other_library_on_hostile_signatures_too(tmp_path: Path) -> None:
    random = Random(25)
    made: list[dict[str, object]] = []

    def add(call: str, answer: object, *given: bytes) -> None:
        made.append({"call": call, "answer": answer, "given": [each.hex() for each in given]})

    taken = 0
    for key, message, signature in cases(random):
        verdict = is_signed(key, message, signature)
        taken += verdict
        add("is_signed", verdict, key, message, signature)
    assert taken > 100  # or nothing would tell the two apart
    for size in (0, 1, 100, 5_000):
        secret, message, nonce = random.randbytes(32), random.randbytes(size), random.randbytes(12)
        add("sign", Ed25519PrivateKey.from_private_bytes(secret).sign(message).hex(), secret, message)
        add("derive", derive(secret, salt=nonce, info=message, length=80).hex(), secret, nonce, message)
        other = random.randbytes(32)
        add("agreement_key", agreement_key(other).hex(), other)
        add("agree", agree(secret, agreement_key(other)).hex(), secret, agreement_key(other))
        add("agree", "ValueError", secret, bytes(32))
        sealed = seal(secret, nonce, message, b"about")
        add("seal", sealed.hex(), secret, nonce, message, b"about")
        add("unseal", message.hex(), secret, nonce, sealed, b"about")
        add("unseal", "NotSealed", secret, nonce, sealed, b"another")
        add("unseal", "NotSealed", secret, nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), b"about")
    assert _said(tmp_path, _KEYS, made) == "agreed"


_TEXTS = """
import json
from random import Random
from replica.state.text import EditedText, check_update

told = []
for number, case in enumerate(json.load(open(ARGUMENTS[0].replace(ARGUMENTS[1], "/build")))):
    rid, text = bytes.fromhex(case["rid"]), case["text"]
    assert EditedText.from_base(rid, text).state().hex() == case["base"]
    document = EditedText.from_base(rid, text)
    own = document.edit(case["own"], Random(number))
    for update in (own, *map(bytes.fromhex, case["updates"])):
        document.apply(update)
    told.append({"own": own.hex(), "text": document.show()})
    alone = EditedText.from_base(rid, text)  # an edit that waits for words is kept, and not shown until they come
    alone.apply(bytes.fromhex(case["orphan"]))
    assert (alone.show(), alone.state().hex()) == (text, case["waiting"])
    check_update(alone.edit(case["own"], Random(number)))
    alone = EditedText(alone.state())
    alone.apply(bytes.fromhex(case["continued"]))
    assert alone.show() == "all quite other words"
print(json.dumps(told))
"""


def test_texts_edited_apart_read_the_same_in_both_libraries(tmp_path: Path) -> None:
    random = Random(26)
    words = ["milk", "Käse", "🧀", "brød", "面包", "and", "more,", "e\u0301"]
    made, documents = [], []
    for _ in range(40):
        rid = random.randbytes(16)
        text, *others = [" ".join(random.choices(words, k=random.randint(1, 9))) for _ in range(5)]
        updates = [EditedText.from_base(rid, text).edit(other, random) for other in others[:3]]
        documents.append((EditedText.from_base(rid, text), updates))
        base = EditedText.from_base(rid, text).state().hex()
        changed = EditedText.from_base(rid, text)
        continued = changed.edit("all other words", random)
        changed.apply(continued)
        orphan = changed.edit("all quite other words", random)
        alone = EditedText.from_base(rid, text)
        alone.apply(orphan)
        hexed = [update.hex() for update in updates]
        case = {"rid": rid.hex(), "text": text, "own": others[3], "base": base, "updates": hexed}
        waits = {"orphan": orphan, "continued": continued, "waiting": alone.state()}
        made.append(case | {name: update.hex() for name, update in waits.items()})
    told = json.loads(_said(tmp_path, _TEXTS, made))
    for (document, updates), each in zip(documents, told, strict=True):
        for update in (*reversed(updates), bytes.fromhex(each["own"])):
            document.apply(update)
        assert document.show() == each["text"]


def _said(tmp_path: Path, script: str, given: object) -> str:
    path = tmp_path / "script.py"
    path.write_text(script)
    data = BUILD / f"given-{tmp_path.name}.json"
    BUILD.mkdir(parents=True, exist_ok=True)
    data.write_text(json.dumps(given))
    try:
        return run_in_node(path, str(data), str(BUILD)).strip()
    finally:
        data.unlink()
