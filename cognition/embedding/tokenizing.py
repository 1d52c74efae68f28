"""Open tokenizers: the one module that knows the library that holds them."""

from tokenizers import Tokenizer

from cognition.errors import ModelUnavailable

__all__ = ["Tokenizer", "open_tokenizer"]


def open_tokenizer(held: bytes, where: object) -> Tokenizer:
    """Return the tokenizer that a file holds."""
    try:
        return Tokenizer.from_buffer(held)
    except Exception as error:  # the library raises plain Exception for a damaged file
        raise ModelUnavailable(f"expected a tokenizer at {where}, got: {error}") from None
