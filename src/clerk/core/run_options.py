"""What was asked of a run, stored with it as a JSON object and sent along with its work."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .errors import InvalidInput


class RunOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """The options of a run; one that is not set is left to the site, then to the settings."""

    ocr_backend: str | None = None
    #: auto, always or never.
    ocr: str | None = None
    #: How many published versions to keep.
    keep: int | None = None
    #: What started the run, if it was not a person.
    opened_by: str = ""

    @classmethod
    def of(cls, values: Mapping[str, object]) -> RunOptions:
        """Return the options in these values, which may come from anywhere; others are ignored.

        None stands for one that is not set.
        """
        given = {name: value for name, value in values.items() if value is not None}
        try:
            return msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise InvalidInput(f"The options of a run are not valid: {error}.") from error

    @classmethod
    def stored(cls, values: Mapping[str, object] | None) -> RunOptions:
        """Return the options in a row; nobody waits for what an older version stored unchecked."""
        try:
            return cls.of(values) if values else NO_OPTIONS
        except InvalidInput:
            return NO_OPTIONS

    def over(self, other: RunOptions) -> RunOptions:
        """Return these options, and those of another where these are not set."""
        given = {name: value for name, value in msgspec.structs.asdict(self).items() if value}
        return msgspec.structs.replace(other, **given)

    def as_stored(self) -> dict[str, object]:
        """Return those that are set, by name."""
        found: dict[str, object] = msgspec.to_builtins(self)
        return found


NO_OPTIONS = RunOptions()
