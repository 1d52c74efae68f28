"""The largest things that may cross a link, each with its reason.

A limit is checked where bytes become types, before anything is stored for the peer that sent them.
"""

from typing import Final

# A frame is one atomic commit or one chunk of a snapshot. The largest op is far below this, ten
# thousand ordinary ops are under 1 MiB, and a phone can hold one such buffer per link.
FRAME_BYTES_MAX: Final = 16 * 1024 * 1024

# A pairing message is a certificate (332 bytes), a name and the members that the other side should
# learn of (some 400 bytes each): room for 150 members, and nothing for somebody who only knocks.
PAIRING_FRAME_BYTES_MAX: Final = 64 * 1024

# A device certificate is 332 bytes. Anything much larger is not one of ours.
CERTIFICATE_BYTES_MAX: Final = 2048

# Names are for people to read in one line; four bytes a character in the worst case.
NAME_BYTES_MAX: Final = 256
