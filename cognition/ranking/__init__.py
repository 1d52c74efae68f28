"""Put candidates in order.

Query features, a pool of candidates, and one table of weighted signals. All of it pure.
"""
