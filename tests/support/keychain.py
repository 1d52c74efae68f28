"""A keychain for machines without a desktop: keyring loads it by name, and it keeps its secrets in one file."""

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend

# keyring's own variable, and where ours keeps what it is told.
CHOSEN = {"PYTHON_KEYRING_BACKEND": "tests.support.keychain.FileKeychain"}
FILE_VARIABLE = "TEST_KEYCHAIN_FILE"


class FileKeychain(KeyringBackend):
    """What a desktop's keychain does, without the locks."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._read(), f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        found = self._read()
        del found[f"{service}/{username}"]
        self._write(found)

    def _read(self) -> dict[str, str]:
        file = Path(os.environ[FILE_VARIABLE])
        found: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        return found

    def _write(self, found: dict[str, str]) -> None:
        Path(os.environ[FILE_VARIABLE]).write_text(json.dumps(found))
