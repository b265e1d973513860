"""How many wrong lines the tests notice: seeded mutations of the helper modules, run by hand.

``python tests/bench_mutations.py [FOLDER ...] [--n 100] [--seed 1]`` changes one operator,
comparison, number or condition of a module at a time, in a copy, and runs that module's tests,
then those of its folder. It prints what nobody noticed. A mutation that changes nothing a caller
could see (an equivalent one) is for the reader to judge.
"""

import argparse
import ast
import compileall
import contextlib
import importlib
import importlib.util
import os
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
            ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
            ast.IsNot: ast.Is}
COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
           ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.FloorDiv: ast.Mult}


def places(tree):
    """Nodes of a module that can be mutated: no docstrings, messages or annotations."""
    skipped = {id(part) for node in ast.walk(tree)
               for name in ("annotation", "returns", "msg", "exc")
               for part in ast.walk(getattr(node, name, None) or ast.Pass())}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if ((isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED)
                or (isinstance(node, ast.BinOp) and type(node.op) in COUNTED)
                or isinstance(node, ast.BoolOp | ast.IfExp)
                or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub))
                or (isinstance(node, ast.Constant) and type(node.value) in (int, float, bool))):
            yield node


def mutate(node):
    """Change one node in place; say what it was."""
    before = ast.unparse(node)
    match node:
        case ast.Compare():
            node.ops[0] = COMPARED[type(node.ops[0])]()
        case ast.BinOp():
            node.op = COUNTED[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        case ast.IfExp():
            node.body, node.orelse = node.orelse, node.body
        case ast.UnaryOp():
            node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
            if isinstance(node.op, ast.Not):  # not x → bool(x)
                node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(bool()):
            node.value = not node.value
        case ast.Constant():
            node.value += 1
    return before, ast.unparse(node)


def drawn(folders, n, seed):
    """Seeded sample of (module, number of the place), spread over all places of the folders."""
    every = [(path, i) for folder in folders
             for path in sorted((ROOT / "notebooks/study" / folder).glob("*.py"))
             for i, _ in enumerate(places(ast.parse(path.read_text(encoding="utf-8"))))]
    return random.Random(seed).sample(every, min(n, len(every)))


def warm():
    """Import once what every run of the tests needs and no mutation touches."""
    for module in ("hypothesis", "matplotlib.pyplot", "nbformat", "openpyxl", "pandas", "pytest",
                   "scipy.stats", "sklearn.metrics"):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def fails(copy, chosen):
    """Whether one of some tests fails, or takes more than 400 s, in a fork of this process."""
    child = os.fork()
    if child == 0:
        import pytest
        signal.alarm(400)
        os.chdir(copy)
        os.environ |= {"PYTHONPATH": f"{copy / 'notebooks'}{os.pathsep}{copy}", "PYTHONUTF8": "1",
                       "PYTHONDONTWRITEBYTECODE": "1"}
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        code = 1
        with contextlib.suppress(BaseException):
            code = int(pytest.main(["-x", "-q", "-p", "no:xdist", *map(str, chosen)]))
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) not in (0, 5)


def noticed(copy, module):
    """Whether a test fails in a copy: those of the module, then of its folder, then the results."""
    folder = copy / "tests" / module.parent.name
    own = folder / f"test_{module.stem}.py"
    # The last step sees what a folder of its own does not: the study's numbers, the commands.
    wide = ["tests/test_results.py", "tests/decide", "tests/run/test_agree.py"]
    return any(fails(copy, chosen) for chosen in ([[own]] if own.exists() else [])
               + [[folder], [copy / x for x in wide]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=["measure", "read"])
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen, alive = drawn(options.folders, options.n, options.seed), []
    warm()
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as home:
        copy = Path(home, "copy")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv*", "__pycache__"))
        if (ROOT.parent / "shared").is_dir():  # the authors' files, where they are
            Path(home, "shared").symlink_to(ROOT.parent / "shared", target_is_directory=True)
        compileall.compile_dir(copy / "notebooks", quiet=2)
        for number, (path, i) in enumerate(chosen, 1):
            place = copy / path.relative_to(ROOT)
            original = place.read_text(encoding="utf-8")
            tree = ast.parse(original)
            node = list(places(tree))[i]
            before, after = mutate(node)
            place.write_text(ast.unparse(tree), encoding="utf-8", newline="\n")
            Path(importlib.util.cache_from_source(place)).unlink(missing_ok=True)
            killed = noticed(copy, path)
            place.write_text(original, encoding="utf-8", newline="\n")
            said = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {before} -> {after}"
            if not killed:
                alive.append(said)
            print(f"{number:4d} {'noticed' if killed else 'ALIVE  '} {said}", flush=True)
    print(f"{len(chosen) - len(alive)} of {len(chosen)} noticed "
          f"({100 * (1 - len(alive) / len(chosen)):.0f} %), seed {options.seed}")


if __name__ == "__main__":
    main()
