"""Say in words why a server could not be reached, the same of each kind of mailbox."""

import os
import socket
import ssl


def cause_of(error: BaseException) -> str | None:
    """Return what began an error, in words, as far as it was one of a line.

    httpcore's pool hands errors on `from None`, so their cause is their context.
    """
    words: str | None = None
    each: BaseException | None = error
    while each is not None:
        words = _in_words(each) or words
        each = (
            each.exceptions[0] if isinstance(each, BaseExceptionGroup) else each.__cause__ or each.__context__
        )
    return words


def _in_words(error: BaseException) -> str | None:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({error.verify_message})"
        case ssl.SSLError():
            return f"no TLS was agreed on ({error.reason})"
        case socket.gaierror():
            return "its name was not found (is it right, and is this device online?)"
        case TimeoutError():
            return "it did not answer in time"
        case OSError(errno=int() as number):
            return os.strerror(number)
    return None
