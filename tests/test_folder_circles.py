"""Modules stand in storeys: each in a row of the contract, and none, nor a folder of them, in a circle."""

import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
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
    assert len(order(arrows())) > 20


def test_no_module_stands_in_a_circle() -> None:
    graph = grimp.build_graph(*ROOTS)
    modules = {each for each in graph.modules if not any(part in f"{each}." for part in ASIDE)}
    pairs = (
        (here, there) for here in modules for there in graph.find_modules_directly_imported_by(here) & modules
    )
    assert len(order(pairs)) > 250


def test_every_module_stands_in_a_row_of_the_storeys() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [contract] = [each for each in config["contracts"] if each["type"] == "layers"]
    placed = {name for row in contract["layers"] for name in row.split(" : ")}
    assert len(contract["layers"]) <= 9
    graph = grimp.build_graph(*ROOTS)
    modules = {each for each in graph.modules if not any(part in f"{each}." for part in ASIDE)}
    tops = {".".join(each.split(".")[:2]) for each in modules if not each.startswith("federation_site")}
    assert tops - set(ROOTS) == placed - {"federation_site"}


def test_a_circle_would_be_found() -> None:
    with pytest.raises(CycleError):
        order(iter([("a", "b"), ("b", "c"), ("c", "a")]))
