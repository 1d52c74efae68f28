"""What happened to one memory."""

from random import Random

from replica import Core, Remember, Set, SqliteStore, Write, connect, introduce, new_memory_id
from replica.history import history
from replica.oplog import LogRow
from tests.support.links import identity


def test_each_op_is_told_with_the_text_as_it_read_after_it() -> None:
    device, random = identity("laptop"), Random(1)
    connection = connect(":memory:")
    core = Core(SqliteStore(connection), device=device.device_id, sign=device.sign, random=random)
    core.found(
        introduce(
            device.sign,
            core.device,
            public_key=device.public_key,
            certificate=device.certificate,
            name="laptop",
        )
    )
    rid, other = new_memory_id(1, random), new_memory_id(1, random)
    core.commit(
        [Write(Remember("Ann lives in Porto", {"speaker": "Ann"}), rid), Write(Remember("else", {}), other)],
        1,
    )
    core.commit(core.edits_of(rid, "Ann lives in Lisbon"), 2)
    core.commit([Write(Set("topic", "moves"), rid)], 3)
    core.commit(core.edits_of(rid, "Ann lives in Lisbon now"), 4)

    rows = [
        LogRow._make(row) for row in connection.execute("SELECT * FROM op WHERE rid = ? ORDER BY pos", (rid,))
    ]
    told = list(history(rid, rows))
    assert [it.text for it in told] == [
        "Ann lives in Porto",
        "Ann lives in Lisbon",
        None,
        "Ann lives in Lisbon now",
    ]
    assert told[2].body == Set("topic", "moves")
    erased = [row._replace(payload=None, payload_hash=b"x" * 32) for row in rows]
    assert [(it.body, it.text) for it in history(rid, erased)] == [(None, None)] * 4
    connection.close()
