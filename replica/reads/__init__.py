"""Read the replica's tables: typed functions, one for each question, for every package above it.

A module is what is asked about: whole memories (`memories`), their texts (`texts`), ids and rows (`ids`), facts and
what they were taken from (`facts`), who told them (`attribution`), what says the same (`duplicates`), conversations
(`conversations`), core facts, blocks and goals (`profile`), counts (`counts`), the graph and the links between memories
(`graph`), claims (`claims`), consolidation proposals, triggers and settings (`proposals`), the log and its feeds
(`log`), the devices of the group (`devices`).

Other packages write no SQL over the replica's tables: a column that is renamed is renamed here and in the modules that
write the table. Where a table of `cognition` is joined with them, in one statement, it is joined with the views of
`replica.storage.views`.
"""
