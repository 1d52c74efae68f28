"""Build the wheel with what a phone's browser loads: `python -m tests.support.phone_wheel`, or `make phone`.

npm installs what the committed lock file names, each file by its hash and without running anybody's scripts; the pages
are bundled and compressed by `samemind/phone/page/build.mjs`; the packages of Python go into one zip. The wheel holds
files only, and needs neither node nor npm where it is installed.
"""

import base64
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BUILD: Final = ROOT / "build" / "phone"
SOURCES: Final = ROOT / "samemind" / "phone"
PACKAGE: Final = BUILD / "samemind_phone"
LOCK: Final = SOURCES / "requirements.txt"
LEFT_OUT: Final = SOURCES / "left_out.toml"
# Every file of a zip gets this time: the same sources make the same bytes.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
# What a phone runs of ours: the cores, and its own host. The rest would only be sent.
_PACKAGES: Final = ("replica", "sync", "cognition")
# Where `samemind/phone/stand_ins` lets `zoneinfo` look, and how the data of a zone begins.
ZONES: Final = "zones.zip"
_ZONE: Final = b"TZif"
BEST: Final = 11
_HEAD: Final = '"""What a phone\'s browser loads from `samemind`; made by `make phone`."""\n'


def build() -> Path:
    """Make the wheel, and return it."""
    return _write_wheel(make_page(BEST))


def make_page(brotli_quality: int) -> str:
    """Make the package with what a browser loads, and return its version; 11 compresses best, and takes a minute."""
    fetch()
    app = BUILD / "app.zip"
    write_app(app)
    shutil.copy(SOURCES / "page" / "build.mjs", BUILD / "build.mjs")
    PACKAGE.mkdir(exist_ok=True)
    (PACKAGE / "__init__.py").write_text(_HEAD)
    version = _version()
    static = PACKAGE / "static"
    compiler = ROOT / "tests" / "support" / "phone_compile.py"
    made_by = ("node", "build.mjs", SOURCES / "page", app, compiler, LEFT_OUT)
    _run(*made_by, static, version, str(brotli_quality), cwd=BUILD)
    return version


def fetch() -> None:
    """Let npm get what its lock file names, unless that is here."""
    BUILD.mkdir(parents=True, exist_ok=True)
    lock, held = SOURCES / "package-lock.json", BUILD / "package-lock.json"
    if (BUILD / "node_modules").is_dir() and held.exists() and held.read_bytes() == lock.read_bytes():
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCES / name, BUILD / name)
    try:
        _run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=BUILD)
    except BaseException:
        held.unlink()
        raise


def write_app(to: Path) -> None:
    """Write the zip of Python: ours, the two packages that it needs from others, and the zones' data."""
    vendored = BUILD / "python"
    shutil.rmtree(vendored, ignore_errors=True)
    install(LOCK, vendored)  # msgpack has a wheel for that interpreter; spake2 is Python alone, tzdata files
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, path in sorted(_app_files(vendored)):
            packed.writestr(zipfile.ZipInfo(name, _TIME), path.read_bytes(), zipfile.ZIP_DEFLATED)
        packed.writestr(zipfile.ZipInfo(ZONES, _TIME), _zones(vendored / "tzdata"))


def install(requirements: Path, to: Path) -> None:
    """Let pip put packages for the interpreter in the browser into a folder, each by its hash."""
    _run(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"),
        *("--only-binary", ":all:", "--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314"),
        *("--implementation", "cp", "--abi", "cp314", "--abi", "none", "--target", to),
        *("--require-hashes", "--requirement", requirements),
        cwd=BUILD,
    )


def _zones(package: Path) -> bytes:
    """Return a zip with what `zoneinfo` asks for, and none of the tables that it was made of.

    As 600 files a phone would write them at each start. It is stored, since the whole of one compresses better.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for path in sorted(package.rglob("*")):
            if path.is_file() and (
                path.name in ("__init__.py", "zones") or path.read_bytes().startswith(_ZONE)
            ):
                packed.writestr(
                    zipfile.ZipInfo(path.relative_to(package.parent).as_posix(), _TIME), path.read_bytes()
                )
    return made.getvalue()


def _app_files(vendored: Path) -> Iterator[tuple[str, Path]]:
    for package in _PACKAGES:
        yield from _below(ROOT / package, ROOT)
    yield "samemind/__init__.py", ROOT / "samemind" / "__init__.py"
    yield from _below(SOURCES, ROOT)
    for package in ("msgpack", "spake2"):
        yield from _below(vendored / package, vendored)


def _below(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    for path in folder.rglob("*"):
        parts = path.relative_to(root).parts
        if path.is_file() and path.suffix in (".py", ".so", ".toml", ".json") and not _SKIPPED & {*parts}:
            yield "/".join(parts), path


_SKIPPED: Final = frozenset(
    {"__pycache__", "page", "test", "tests", "bin", "package.json", "package-lock.json", "left_out.toml"}
)


def _write_wheel(version: str) -> Path:
    dist = BUILD / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    wheel = dist / f"samemind_phone-{version}-py3-none-any.whl"
    info = f"samemind_phone-{version}.dist-info"
    described = {
        f"{info}/METADATA": (
            f"Metadata-Version: 2.4\nName: samemind-phone\nVersion: {version}\n"
            "Summary: What a phone's browser loads from samemind\nLicense-Expression: Apache-2.0\n"
        ).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: samemind\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    held = {path.relative_to(BUILD).as_posix(): path.read_bytes() for path in _files_of(PACKAGE)} | described
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in held.items())
    held[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(wheel, "w") as packed:
        for name, data in held.items():
            is_packed = name.endswith((".br", ".zip"))
            method = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            packed.writestr(zipfile.ZipInfo(name, _TIME), data, method)
    return wheel


def _files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["version"])


def _run(*command: object, cwd: Path) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True, env={**os.environ, "NO_COLOR": "1"})


if __name__ == "__main__":
    print(build())
