"""An edition loaded again with one of its constants altered, as an amendment would."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ratings.rulesets.ruleset import Edition


def alter(value: Any) -> Any:
    """Another value of the same shape: whole numbers one more, decimals a quarter more, tables throughout."""
    if isinstance(value, Decimal):
        return value * Decimal("1.25")
    if isinstance(value, int):
        return value + 1
    if isinstance(value, Mapping):
        return {key: alter(each) for key, each in value.items()}
    if isinstance(value, tuple):
        parts = [alter(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


class AlteringLoader(SourceFileLoader):
    """Finds and loads one module, and alters one of its constants where it is given its value."""

    constant: str

    def find_spec(self, fullname: str, *_path_and_target: Any) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(Path(self.path).read_text("utf-8"))
        for node in tree.body:
            targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
            names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
            if self.constant in names:
                assert isinstance(node, ast.Assign | ast.AnnAssign)
                assert node.value
                node.value = ast.Call(ast.Name("alter", ast.Load()), [node.value], [])
        vars(module)["alter"] = alter
        exec(compile(ast.fix_missing_locations(tree), self.path, "exec"), vars(module))


def with_altered_constant(edition: Edition, home: str, constant: str) -> Edition:
    """The edition with a constant of the module `home` altered, and with all that follows from it."""
    package = edition.rules.__name__
    spec = find_spec(home)
    assert spec
    assert spec.origin
    loader = AlteringLoader(home, spec.origin)
    loader.constant = constant
    parent, _dot, leaf = package.rpartition(".")
    known = {
        name: module
        for name, module in sys.modules.items()
        if f"{name}.".startswith(f"{package}.") and name.rpartition(".")[2] != "standing"
    }
    for name in known:
        del sys.modules[name]
    sys.meta_path.insert(0, loader)
    try:
        rules = import_module(package)
    finally:
        sys.meta_path.remove(loader)
        sys.modules.update(known)
        setattr(sys.modules[parent], leaf, known[package])
    return replace(edition, rules=rules, parameters=rules.PARAMETERS)
