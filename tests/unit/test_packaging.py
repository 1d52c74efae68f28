"""What is handed to strangers: a wheel with all its parts, locks that hold for every machine, licences, one version."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import licences
from tests.support.locks import FILES, FOLDER, ROOT, pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# `simulations` plants bugs on purpose: it belongs to the repository, not into anybody's site-packages.
PACKAGES = ("replica", "sync", "cognition", "samemind")


def asked_for() -> dict[str, list[str]]:
    """What each lock file must answer to, extras of our own opened."""
    extras = PROJECT["project"]["optional-dependencies"]
    core = PROJECT["project"]["dependencies"]
    dev = [line for line in extras["dev"] if not line.startswith("samemind[")]
    for own in re.findall(r"samemind\[([\w-]+)\]", "\n".join(extras["dev"])):
        dev += extras[own]
    doors = core + extras["mcp"] + extras["panel"]
    models = core + extras["models"]
    ann = core + extras["ann"]
    named = {"core": core, "doors": doors, "dev": core + dev, "models": models, "ann": ann}
    return {**named, **PROJECT["dependency-groups"]}


@pytest.mark.parametrize("name", FILES)
def test_the_lock_files_answer_what_the_project_asks_for(name: str) -> None:
    """A dependency that is added or raised without `make lock` would not be there on the next machine."""
    locked = {pin.name: pin for pin in pins(name)}
    for line in asked_for()[name]:
        wanted = Requirement(line)
        pin = locked.get(canonicalize_name(wanted.name))
        assert pin is not None, f"requirements/{name}.txt lacks {wanted.name}: run make lock"
        assert wanted.specifier.contains(pin.version), (
            f"{pin.name} {pin.version}, wanted {line}: run make lock"
        )


@pytest.mark.parametrize("name", FILES)
def test_a_lock_file_names_files_by_hash_and_no_place_to_get_them(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("ascii")
    assert all(pin.hashes for pin in pins(name)), "a package without a hash"
    assert not re.search(r"://|--index|--find-links|(^|\s)@|/(root|home|tmp|work|opt)/", text, re.MULTILINE)


def test_the_lock_files_agree_so_that_one_venv_can_take_them_all() -> None:
    chosen = {name: {(pin.name, pin.marker): pin.version for pin in pins(name)} for name in FILES}
    for one, other in pairwise(FILES):
        for each in chosen[one].keys() & chosen[other].keys():
            assert chosen[one][each] == chosen[other][each], f"{each[0]} in {one} and {other}"


def test_the_page_of_licences_lists_every_package_that_is_locked() -> None:
    listed = licences.rows(licences.PAGE.read_text("utf-8"))
    locked: dict[str, list[str]] = {}
    names = {pin.name for pin in pins("dev")}
    extra = {pin: None for name in ("models", "ann") for pin in pins(name) if pin.name not in names}
    for pin in [*pins("dev"), *extra]:
        locked.setdefault(pin.name, []).append(pin.version)
    expected = {name: ", ".join(versions) for name, versions in locked.items()}
    assert {name: version for name, (version, _) in listed.items()} == expected
    assert [name for name, (_, words) in listed.items() if not words.strip()] == []
    # Where another version is installed, as on a later Python, it may say otherwise.
    here = {str(canonicalize_name(one.name)): one.version for one in distributions()}
    said = {name: licences.licence(name) for name in listed if here.get(name) == locked[name][0]}
    differs = {name: words for name, words in said.items() if words != listed[name][1]}
    assert differs == {}, "run: python -m tests.support.licences"


def test_what_an_error_says_to_install_is_what_an_extra_asks_for_by_names_that_any_index_has() -> None:
    """This project is on no index: whoever typed its name would get nothing, or what a stranger put there."""
    asked = {line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra}
    code = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    told = [
        (path.name, line)
        for path in code
        for row in path.read_text("utf-8").splitlines()
        if "pip install" in row or row.startswith("PACKAGES")
        for line in re.findall(r"'([^' ]+)'", row)
    ]
    assert len(told) >= 8
    assert [each for each in told if each[1] not in asked] == []
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    told_by_name = re.compile(r"pip install '?samemind\b")
    assert [page.name for page in pages if told_by_name.search(page.read_text("utf-8"))] == []


def test_the_version_stands_in_one_place() -> None:
    version = PROJECT["project"]["version"]
    code = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert [str(path) for path in code if f'"{version}"' in path.read_text("utf-8")] == []


def test_the_changelog_tells_of_the_version() -> None:
    version = PROJECT["project"]["version"]
    released = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {version} (" in released
    assert "<!-- releases -->\n" in released


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the backend that pyproject.toml names."""
    folder = tmp_path_factory.mktemp("wheel")
    script = "import sys; from hatchling import build; print(build.build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        files = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
        assert held == {name for name in files if not name.startswith("samemind/_tools/")}
    assert {f"{package}/py.typed" for package in PACKAGES} <= held
    assert "samemind/panel/static/index.html" in held
    assert "samemind/agents/protocol.md" in held


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    assert f"Version: {PROJECT['project']['version']}\n" in text
    assert "License-Expression: Apache-2.0\n" in text
    assert "Requires-Python: >=3.11\n" in text


@pytest.mark.slow
def test_the_wheel_remembers_and_recalls_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import samemind
assert samemind.__file__.startswith(sys.argv[1]), samemind.__file__
with samemind.open_blocking(sys.argv[2]) as mind:
    mind.remember("Ann moved to Lisbon in spring", wait=True)
    print(mind.recall("where does Ann live?", k=1)[0].text)
"""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script, str(tmp_path / "site"), str(tmp_path / "home")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout) == (0, "Ann moved to Lisbon in spring\n"), ran.stderr


HIDING = "raise SystemExit('a file of the user was run')\n"


@pytest.mark.parametrize("name", ["replica", "sync", "cognition"])
def test_a_users_file_of_our_packages_name_is_named_and_hides_nothing_from_the_command(
    name: str, tmp_path: Path
) -> None:
    hiding = tmp_path / f"{name}.py"
    hiding.write_text(HIDING)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def ran(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    program = tmp_path / "program.py"
    program.write_text("import samemind\n")
    imported = ran(sys.executable, str(program))
    assert imported.returncode == 1
    assert f"ImportError: samemind expected its package {name!r}" in imported.stderr
    assert str(hiding) in imported.stderr
    assert "rename that file" in imported.stderr
    for command in ([sys.executable, "-m", "samemind"], [str(Path(sys.executable).with_name("samemind"))]):
        listed = ran(*command, "--home", str(tmp_path / "home"), "list", "--json")
        assert (listed.returncode, listed.stderr) == (0, "")


def test_a_program_that_loaded_its_own_module_of_that_name_first_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "sync.py").write_text("")
    program = tmp_path / "program.py"
    program.write_text("import sys, sync\nsys.path.pop(0)\nimport samemind\n")
    ran = subprocess.run(
        [sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 1
    assert str(tmp_path / "sync.py") in ran.stderr
