"""Templates and documents can be reviewed line by line, and no line break shows on a page."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
DOCUMENTS = sorted(
    path
    for folder in (".", ".github", "docs", "players", "ratings", "static", "tests", "tournaments")
    for path in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
)
LONGEST = 120
LONGEST_ROW = 250
PASTED = re.compile(r"^(?: {4,}[^\n]*|```.*?^```)$", re.DOTALL | re.MULTILINE)
"""Commands and lines of files, which are copied from the document as they stand."""
COMMENT = re.compile(r"\{% comment %\}.*?\{% endcomment %\}", re.DOTALL)
TRIMMED = re.compile(r"\{% blocktranslate trimmed.*?\{% endblocktranslate %\}", re.DOTALL)
SPACE_BEFORE_A_COMMA = re.compile(r"\s(?:\{% (?:if|endif|endfor|endwith)[^%]*%\})*[,;)]")
VERBATIM = re.compile(r"<(?:pre|textarea)\b[^>]*>(.*?)</(?:pre|textarea)>", re.DOTALL)
MESSAGE = re.compile(r"\{% blocktranslate(?! trimmed)[^%]*%\}(.*?)\{% endblocktranslate %\}", re.DOTALL)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_no_template_has_a_long_line_a_space_before_a_comma_or_a_line_break_in_a_message(
    template: Path,
) -> None:
    source = template.read_text()
    assert [line for line in source.splitlines() if len(line) > LONGEST] == []
    words = TRIMMED.sub("message", COMMENT.sub("", source))
    assert SPACE_BEFORE_A_COMMA.findall(words) == []
    assert [message for message in MESSAGE.findall(source) if "\n" in message] == []

    assert [words for words in VERBATIM.findall(COMMENT.sub("", source)) if re.search(r"\n\s", words)] == []


def test_a_page_with_a_sidebar_says_so_ahead_of_its_content_so_that_nothing_moves_as_it_comes_in() -> None:
    beside = {
        template.name: source
        for template in TEMPLATES
        if "{% block sidebar %}" in (source := template.read_text()) and template.name != "base.html"
    }
    assert len(beside) > 10
    assert [name for name, source in beside.items() if "page-beside" not in source] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_has_short_lines_and_a_table_that_grows_long_becomes_a_list(document: Path) -> None:
    lines = PASTED.sub("", document.read_text()).splitlines()
    assert [line for line in lines if not line.startswith("|") and len(line) > LONGEST] == []
    assert [line for line in lines if len(line) > LONGEST_ROW] == []


LONGEST_FUNCTION = 40
PRODUCT = sorted(
    path
    for folder in ("federation_site", "players", "ratings", "tournaments")
    for path in (ROOT / folder).rglob("*.py")
    if not {"tests", "migrations"} & set(path.parts)
)


@pytest.mark.parametrize("module", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_at_most_400_lines_and_a_function_at_most_40_without_its_docstring(module: Path) -> None:
    source = module.read_text()
    assert len(source.splitlines()) <= 400
    functions = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef)]
    assert [each.name for each in functions if _lines(each) > LONGEST_FUNCTION] == []


def _lines(function: ast.FunctionDef) -> int:
    documented = ast.get_docstring(function) is not None
    body = function.body[0]
    return function.end_lineno - function.lineno + 1 - documented * (body.end_lineno - body.lineno + 1)  # type: ignore[operator]


MOST_MODULES = 12
FOLDERS = sorted({path.parent for path in PRODUCT})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_folder_has_at_most_12_modules(folder: Path) -> None:
    modules = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES, modules
