"""Measure the source: how large it is, and how many private helpers are used only once.

``python -m tools.measure_house`` prints the figures per package; ``... PACKAGE`` also lists the
private functions of that package that are used once, with their length, and the ones never used.
A function that is handed on as a value, or has a decorator such as a cache, cannot be written where
it is used; these are counted apart.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "clerk"


@dataclass(frozen=True)
class Function:
    """A function of the source, and where it is."""

    name: str
    path: Path
    line: int
    lines: int
    has_decorator: bool

    @property
    def is_private(self) -> bool:
        """Whether its name starts with one underscore."""
        return self.name.startswith("_") and not self.name.startswith("__")


def read_functions(paths: list[Path]) -> tuple[list[Function], Counter[str], Counter[str]]:
    """Return the functions of these files, and how often each name is used, and is called."""
    functions = []
    names: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    lines = (node.end_lineno or node.lineno) - node.lineno + 1
                    decorated = bool(node.decorator_list)
                    functions.append(Function(node.name, path, node.lineno, lines, decorated))
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                    calls[name] += 1
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                    names[name] += 1
    return functions, names, calls


def main(packages: list[str]) -> None:
    """Print the figures, and the lists of the packages that were asked for."""
    paths = sorted(SOURCE.rglob("*.py"))
    functions, uses, calls = read_functions(paths)
    once = [each for each in functions if each.is_private and uses[each.name] == 1]
    handed_on = sum(each.has_decorator or not calls[each.name] for each in once)
    unused = [each for each in functions if each.is_private and uses[each.name] == 0]
    total = sum(len(path.read_text().splitlines()) for path in paths)
    print(f"{len(paths)} files, {total} lines, {len(functions)} functions")
    print(
        f"{len(once)} private functions used once ({len(once) / len(functions):.1%}),"
        f" {handed_on} of them handed on or decorated"
    )
    print(f"{len(unused)} private functions never used by name")
    by_package: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for which, chosen in enumerate((functions, once)):
        for each in chosen:
            by_package[each.path.relative_to(SOURCE).parts[0]][which] += 1
    for package, (all_of_it, single) in sorted(by_package.items()):
        print(f"  {package:24} {single:4} of {all_of_it:4}")
    for chosen, word in ((once, "once"), (unused, "never")):
        for each in sorted(chosen, key=lambda each: (each.path, each.line)):
            place = each.path.relative_to(SOURCE)
            if place.parts[0] in packages:
                print(f"{word:6}{place}:{each.line} {each.name} ({each.lines} lines)")


if __name__ == "__main__":
    main(sys.argv[1:])
