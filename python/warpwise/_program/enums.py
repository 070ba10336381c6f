"""Members of enums as kernels hold them."""

from __future__ import annotations

import enum


def is_plain_enum(value: object) -> bool:
    """Whether it is a member that is no number or string itself, as those of IntEnum are."""
    return isinstance(value, enum.Enum) and not isinstance(
        value, int | float | complex | str | bytes | tuple
    )


def is_number_of_enum(value: object) -> bool:
    """Whether it is a member of an IntEnum, a StrEnum and their like, which is its value."""
    return (
        isinstance(value, enum.Enum)
        and not is_plain_enum(value)
        and not isinstance(value, tuple)
        and bool(value == value.value)
    )


def held_of_member(member: enum.Enum) -> tuple[str, int | float]:
    """What a kernel holds of a member: its value, or its place where values have several types.

    Returns
    -------
    tuple of str and int or float
        The name of the field, "value" or one that no program can name, and what it holds.
    """
    if isinstance(member, enum.Flag):
        return "value", member.value
    members = list(type(member))
    for kind in (int, float):
        if all(type(one.value) is kind for one in members):
            return "value", member.value
    return ".place", members.index(member)


def mask_of_flags(owner: type[enum.Flag]) -> int:
    """The bits that ~ of a flag of the class takes from: all of a class that keeps unknown ones."""
    mask: int = (~owner(0)).value
    return mask
