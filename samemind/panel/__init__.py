"""The web panel: one page, served by the daemon to its own machine, that shows and changes what is remembered.

`door` opens it on demand. `access` decides who may come in, `guard` holds that decision before every request, `api`
gives each verb of the catalog a route, `events` tells the page what changes, `undo` keeps what is taken back within
seconds from ever being written. The page itself is in `static/`: plain modules, sent as they are.

Nothing here is imported before somebody asks for the panel: its libraries are an extra.
"""
