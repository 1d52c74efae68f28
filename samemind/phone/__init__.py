"""A device that lives in a browser: the same replica and the same sync, in Python that runs in a page's worker.

`host` is what `samemind.device` is on other machines: it opens the store and answers a page. `link` meets a paired
device over a WebSocket. `stand_ins` puts libraries of JavaScript behind the names of those that a browser cannot load;
`bridge` is the one module that knows JavaScript. The page itself, its worker and its disk are in `page/`.
"""
