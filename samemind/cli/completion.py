"""Print a script that completes verbs and options in a shell.

The scripts hold the words themselves, made from the declarations: pressing Tab starts no Python. To install one:

    samemind completion bash >> ~/.bashrc
    samemind completion zsh  >> ~/.zshrc
    samemind completion fish > ~/.config/fish/completions/samemind.fish
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from samemind.catalog import COMMANDS, NAMES, verb_named
from samemind.cli.line import EVERYWHERE
from samemind.declaring import declared
from samemind.errors import Usage


def completion_script(words: Sequence[str]) -> str:
    """Return the script for the shell that was named."""
    if len(words) != 1 or words[0] not in _SHELLS:
        raise Usage(f"expected a shell among {', '.join(_SHELLS)}; got {' '.join(words)[:40]!r}")
    return _SHELLS[words[0]](_words())


def _words() -> dict[str, list[str]]:
    """Return what may follow each verb: its second words, its options, and what options may hold."""
    found: dict[str, list[str]] = {name: [] for name in COMMANDS}
    for name in NAMES:
        first, _, second = name.partition(" ")
        verb = verb_named(name)
        flags = [flag for one in declared(verb.options) for flag in (one.word.short, one.word.flag) if flag]
        choices = [choice for one in declared(verb.options) for choice in one.word.choices]
        found.setdefault(first, []).extend([second] * bool(second) + flags + choices)
    found["remember"] += found.pop("remember-many")
    found["help"] = sorted(found)
    return {name: list(dict.fromkeys([*words, *EVERYWHERE])) for name, words in sorted(found.items())}


def _bash(words: Mapping[str, Sequence[str]]) -> str:
    return _function(words) + "\ncomplete -o default -F _samemind samemind"


def _zsh(words: Mapping[str, Sequence[str]]) -> str:
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(words)


def _function(words: Mapping[str, Sequence[str]]) -> str:
    """Return a function for bash; zsh can run it too, so it uses nothing that only one of them has."""
    cases = "\n".join(f"      {name}) words='{' '.join(after)}' ;;" for name, after in words.items())
    return f"""\
_samemind() {{
  local words='{" ".join([*words, *EVERYWHERE])}' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    if [[ "$word" == --home ]]; then ((i++)); continue; fi
    if [[ "$word" == -* ]]; then continue; fi
    case "$word" in
{cases}
    esac
    break
  done
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}"""


def _fish(words: Mapping[str, Sequence[str]]) -> str:
    lines = [f"complete -c samemind -n __fish_use_subcommand -f -a '{' '.join(words)}'"]
    lines += [
        f"complete -c samemind -n '__fish_seen_subcommand_from {name}' -a '{' '.join(after)}'"
        for name, after in words.items()
    ]
    return "\n".join(lines)


_SHELLS: Final[Mapping[str, Callable[[Mapping[str, Sequence[str]]], str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
