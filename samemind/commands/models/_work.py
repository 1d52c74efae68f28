"""Add, list and remove models of sentence-transformers; each in the process that was asked, beside any daemon."""

from datetime import UTC, datetime

from samemind.commands.models._parts import ModelView
from samemind.config import Home, Settings
from samemind.home.added_models import AddedModel, files_of, trouble_with


def in_use(settings: Settings, name: str) -> bool:
    from cognition.choosing import model_of_transformers

    return model_of_transformers(settings.embedder) == name


def view(home: Home, settings: Settings, added: AddedModel) -> ModelView:
    from cognition.choosing import TRANSFORMERS

    return ModelView(
        name=added.name,
        source=added.source,
        revision=added.revision,
        digest=added.digest,
        files=len(added.files),
        bytes=added.bytes,
        width=added.width,
        ms_per_text=added.ms_per_text,
        added_at=datetime.fromtimestamp(added.added_ms / 1_000, UTC),
        setting=f"{TRANSFORMERS}{added.name}",
        in_use=in_use(settings, added.name),
        trouble=trouble_with(home, added) if files_of(home, added.name).is_dir() else "its files are gone",
    )
