"""A reader with a pocket calculator: works out again each sum that the page of a working prints.

Reads the page alone, in any language, and with the digits that stand there: no tolerance but the rounding of
a result's last digit. `python -m tests.pocket_calculator ADDRESS …` does it for pages of a running site.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from html import unescape
from typing import Any
from urllib.request import urlopen

DIGITS = Context(prec=34, rounding=ROUND_HALF_UP)
SIGNS = str.maketrans({"−": "-", "×": "*", "÷": "/"})
NUMBER = re.compile(r"\d+(?:\.\d+)?")
EQUATION = re.compile(r"([\d(−][\d.() +−×÷^]*) = (−?[\d.]*\d)(?![\d.]|[ )]*[+−×÷^=])")
"""A sum and its result; of `2 × 3 = 6 = 12 ÷ 2` neither half, which no working prints."""
WORK: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
SENTENCE = re.compile(r'<p class="in-short">(.*?)</p>', re.DOTALL)
STEP = re.compile(
    r'<div>\s*<p>(?P<words>.*?)</p>\s*(?:<span class="step-formula">(?P<formula>.*?)</span>)?\s*</div>\s*'
    r'<span class="step-result">(?P<result>.*?)</span>',
    re.DOTALL,
)
TABLE = re.compile(r"<tbody>(.*?)</tbody>", re.DOTALL)
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
TOGETHER = {"Together", "Celkem", "Razem", "Вместе"}


def visible(html: str) -> str:
    """The text of a part of a page, its numbers with a decimal point in any language."""
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html))).strip()
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def work_out(sum_: str) -> Decimal:
    """A printed sum: `24 × (0.713043 × 60 + 14.43478) ÷ 100`."""
    # `10*-5`, and the digits as printed, not as a float has them
    python = NUMBER.sub(lambda found: f"'{found[0]}'", sum_.translate(SIGNS).replace("^", "**").strip())
    with localcontext(DIGITS):
        return value_of(ast.parse(python, mode="eval").body)


def value_of(node: ast.expr) -> Decimal:
    if isinstance(node, ast.Constant):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp):
        return -value_of(node.operand)
    assert isinstance(node, ast.BinOp), ast.unparse(node)
    return Decimal(WORK[type(node.op)](value_of(node.left), value_of(node.right)))


def comes_out(equation: str) -> bool:
    """Whether the printed digits of a sum give its printed result, to the last digit of that."""
    sum_, _equals, result = equation.rpartition(" = ")
    printed = Decimal(result.translate(SIGNS))
    unit = Decimal(1).scaleb(int(printed.as_tuple().exponent))
    return work_out(sum_).quantize(unit, ROUND_HALF_UP) == printed


def equations_of(html: str) -> Iterator[str]:
    """The equations of a page of a working: in its sentence, in words of steps and as formulas, and the
    columns of its tables that are added up.
    """
    for sentence in SENTENCE.findall(html):
        yield from (f"{sum_} = {result}" for sum_, result in EQUATION.findall(visible(sentence)))
    for step in STEP.finditer(html):
        yield from (f"{sum_} = {result}" for sum_, result in EQUATION.findall(visible(step["words"])))
        if step["formula"]:
            yield visible(step["formula"])
            yield f"{visible(step['formula']).rpartition(' = ')[2]} = {visible(step['result'])}"
    for table in TABLE.findall(html):
        rows = [[visible(cell) for cell in CELL.findall(row)] for row in table.split("</tr>")]
        if len(rows) > 1 and rows[-2] and rows[-2][0] in TOGETHER:
            for column in list(zip(*rows[:-1], strict=True))[1:]:
                yield f"{' + '.join(column[:-1])} = {column[-1]}"


def main() -> int:
    wrong = 0
    for address in sys.argv[1:]:
        with urlopen(address) as answer:
            equations = list(equations_of(answer.read().decode()))
        faults = [each for each in equations if not comes_out(each)]
        wrong += len(faults)
        print(f"{address}: {len(equations)} equations", *faults, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
