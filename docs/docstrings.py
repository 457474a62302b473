"""Docstrings as the site wants them: the package writes them for Python's own tools, with Sphinx's roles, bare examples, and
parameters that share a description, to all of which the builder would give the type and the default of the first."""

import re
import textwrap
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|func|meth|mod):`([\w.]+)`")
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
EXAMPLES = re.compile(r"^Examples\n-+\n", re.MULTILINE)
PARAMETERS = re.compile(r"^Parameters\n-+\n((?:.+\n?|\n(?=\S+(?:, \S+)*\n    ))*)", re.MULTILINE)
PARAMETER = re.compile(r"^(\S.*)\n((?: {4}.*\n?)+)", re.MULTILINE)


def to_markdown(text: str) -> str:
    """References as code, parameters as a list, and examples as blocks of code."""
    text = ROLE.sub(r"`\1`", text)
    text = PARAMETERS.sub(lambda section: f"**Parameters**\n\n{PARAMETER.sub(to_item, section[1])}\n", text)
    text = EXAMPLES.sub("**Example**\n\n", text)
    return EXAMPLE.sub(r"```pycon\n\g<0>\n```", text)


def to_item(parameter: re.Match[str]) -> str:
    """One or several parameters with what there is to say of them."""
    names = ", ".join(f"`{name}`" for name in parameter[1].split(", "))
    return f"- {names}: {' '.join(textwrap.dedent(parameter[2]).split())}\n"


class Docstrings(griffe.Extension):
    """Rewrites every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that has a name."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)
