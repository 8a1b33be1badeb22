"""The rooms of the house: no folder of modules stands in a circle with another."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

ROOTS = ("federation_site", "players", "ratings", "tournaments")
ASIDE = (".tests", ".migrations")


def folder_of(module: str, packages: set[str]) -> str:
    return module if module in packages else module.rpartition(".")[0]


def arrows() -> Iterator[tuple[str, str]]:
    """Which folder imports which, also a folder inside another; an `__init__` may gather what lies below."""
    graph = grimp.build_graph(*ROOTS)
    modules = {each for each in graph.modules if not any(part in f"{each}." for part in ASIDE)}
    packages = {each.rpartition(".")[0] for each in modules} | set(ROOTS)
    for module in modules:
        for imported in graph.find_modules_directly_imported_by(module) & modules:
            here, there = folder_of(module, packages), folder_of(imported, packages)
            gathers = module in packages and there.startswith(f"{module}.")
            if here != there and not gathers:
                yield here, there


def order(pairs: Iterator[tuple[str, str]]) -> list[str]:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for here, there in pairs:
        sorter.add(here, there)
    return list(sorter.static_order())


def test_no_folder_stands_in_a_circle() -> None:
    assert len(order(arrows())) > 50


def test_a_circle_would_be_found() -> None:
    with pytest.raises(CycleError):
        order(iter([("a", "b"), ("b", "c"), ("c", "a")]))
