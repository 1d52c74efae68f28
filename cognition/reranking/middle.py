"""What the tokens of everyday sentences have in common, as the pinned model reads them: their mean.

It follows from the weights and from `cognition.embedding.centring.EVERYDAY` alone. To read those sentences at each
start would hold up the first recall, or the end of a short command, by a second; and a device with another processor,
on which the model's numbers differ in their last digits, would keep other signs. A test makes it anew and compares.
"""

import base64
from typing import Final

import numpy as np

from cognition.embedding.embedder import Vectors

_MIDDLE: Final = (
    b"fHemvClXC7xuVag8omtDvFVYPjx9KAA9BlUaPTF+CjzBQ/Y6xJwNvJUT0juRVlq8jg2EPAJ/njys8NS70ncUvMw4IryLeEK8QlZmvRUsojzo"
    b"NKI8qKgUPIO5PbxoJZy8fqv+PB3nrDwRY9C8yWKAuoLOUL0AyiS+j5XUu8NavrzElTA8J7WcvMGeWDrPAHU7nH+EO5yS4DxdS8W8fj3IPORG"
    b"8DyfTgW8q4ievFVQ9LxPmr67qyUAvMSoN7yaPRS8GdVnPUJtWbw6T908/VK4vNpF4zuZ80s8wOpWOnnk/7nWnEg9Mhusu4GNITw6Eac8AmfQ"
    b"PNDpED1pO0y+5B2DPQ2b+Twd/yS6C7Tru/uUjzoBV7Y8TmUxPIZeXby0gHs7/CcCPXHVNT0OTTU80DqjvIku5bzddJ07ScHUO5lmiTknmUi8"
    b"uJaJvD7pKby+LFi8mEkHvbSJaLxarwo81QwivZgXjTxPJBw8qzNBvG2poby+iaW812wIPDYpCr0lO228SPCSO1L9rzt/m6y8rl+TPjAjAL3b"
    b"SSM8gMxFPZLgoryfwCo829hrvIPVbbzuRWy8rDAwOyohWLo9vzU8UlaLvBfK6bsHu+S8MiwFuoZ6qDu4AP48gmCfPCxzIb046ww8S+NEu5y4"
    b"tTw80pi7RQ8APDTHuzt0WkG9VxHtPA2wnj2vuPo84J0jPOBznjwC4XG9mEnfO7GX1jp9gi48a16zO1iCiztVdSu8SZfdPGCHDb33xBW99qzP"
    b"vUlpaLuw2Ku9CMZ4OeNOJz1qj/q8Jmm4PGSlX7ywjpM86UkavKUlBz3XgZ+7qaB3u+X3qruOSkC7behjPINplD2MocS8sfETvN3q7LuZTOG7"
    b"Y62RvGP39Tw1ylE8uGIQvUpU2Lx07L08uNbWO4KMoLyE/QA9hk/qO0w74Lx3jm67BTozPUQQqTu0M5a7cGOuO+1Kljx/zJy7Gh4LPT+bf7xI"
    b"GOe87WwUPRFj4zyHL6W8ttyYuos3sbxS+848F36gPE4oq7s4NAc9Wz8MvTOE+DsjPEy82gPwvGVAxrva/Bu8IVTAPCDLoLyqK107wVlGOyB3"
    b"lrzs5oQ8ZEeVO4dPSjxWukQ8DIe5uxpIFD2d6Bc8PGRRvAkYxzyibBE9yBF8vN3RzbzkBb88sWynN+XIIbsSkNo8f0abPBB5rDyDZqK8RrvI"
    b"vBqfUb7jxWM8Y/AGvPtfybzTmbE8lkr4vKsv4TzJMzI8TaLiPKbS1zzY8ZQ8APGKvXfu57yYvhA9ifuRvIzc3DwDb7Y8g8WvPHWrLDudfBy7"
    b"I9AOvUf4MDyK1g28vlzhvHSivDyWxLM7lj1EPnoWJz3FWrQ8fbihu1ak7zymrqo7ht1YvFLi2r0avBE9K3afPIaAZjyWR/C8HZ2avIN7MrzJ"
    b"DZK8Ai3GPOpY17yAiwO9DpmDu+qOSrzqdPs6ylEtPKGoFL2Qjjk8y7G6PFWcGbvMruU8WvymPMb/ET2azvy8aQN0ve5H57uxpMK8jtjnPGJq"
    b"bDpu1SU8Dpg+PUjMj7z5QH88GsU7PPOSADvgCUK9WOmGPCCjQLzpWjE8P5yWPUHAj7xezTK9GuqvPDg2vbjWUhg8HT3hvIU8OruD4rK7Q24v"
    b"PSj+nLyo8Mw8Gf/9PJwZiTx3OuW6ge/uOzefezw5NNw8TIUgvN3ifjl+IeI8wDOKvP5u+rwM6g284IZ+u+wCeL6twq08E+uzPJytt7sw5pO8"
    b"+zakPOCPlzxAAXo9MRMcvU1QYzzEyB89jzafubRc0jzGdPC7bx1+Oxtanjw/VK48pc7FvNlqQzxVW1u9NtVgPMBeejquJyU+hk2DvB1EwTub"
    b"e1w7/u84vIVGnzz7UHI8KI2fOrhD5Ty93lA7HOu3PJeXA73AcN88fYDdO+x2Qrywuei7XZ1BPDHSlrw2yuG7jLeNutPJtLxtwGK8rluPPWBo"
    b"nbwU7qm87CsWve36Zjsg0EM7NNOuvCrtxDxt7yO8R52yPNPBijwZ5dg7z4UIvYv+7rzgj2C8jMrVu0RbuLu0i269HQNAvHjohLwY/i88"
)


def middle() -> Vectors:
    """Return the mean of all tokens of the everyday sentences."""
    return np.frombuffer(base64.b64decode(_MIDDLE), "<f4")
