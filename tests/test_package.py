"""What is there after an install: a light import, typed, with the names that programs call."""

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from importlib.resources import files

import lamc


def run_python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_importing_lamc_is_light():
    heavy = {"torch", "pandas", "matplotlib", "sklearn", "scipy", "pyarrow", "rich"}
    code = f"import sys, lamc; print(sorted({heavy!r} & set(sys.modules)))"
    assert run_python(code) == "[]"


def test_datasets_and_metrics_do_not_import_frameworks():
    code = (
        "import sys; from lamc import datasets, metrics, as_labels;"
        "datasets.digit_scenes; metrics.recall;"
        "print(sorted({'torch', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


def test_the_help_text_is_light():
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from lamc.cli import app\n"
        "result = CliRunner().invoke(app, ['--help'])\n"
        "assert result.exit_code == 0 and 'demo' in result.output\n"
        "print(sorted({'torch', 'pandas', 'matplotlib', 'sklearn', 'numpy'} & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


def test_public_names_are_there():
    for name in lamc.__all__:
        assert getattr(lamc, name).__doc__
        assert name in dir(lamc)


def test_the_package_is_typed():
    assert files("lamc").joinpath("py.typed").is_file()


def test_it_is_also_a_module_to_run():
    told = subprocess.run(
        [sys.executable, "-m", "lamc", "--version"], capture_output=True, text=True, check=True
    )
    assert lamc.__version__ in told.stdout


def test_all_that_is_imported_is_required():
    folder = files("lamc")
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    others = {name.partition(".")[0] for name in imported} - {*sys.stdlib_module_names, "lamc"}
    others -= {"distributed"}  # which brings an extra of that name
    said = [re.match(r"[\w-]+", each)[0].lower() for each in requires("lamc")]
    known = packages_distributions()
    assert {
        name for name in others if not {each.lower() for each in known[name]} & {*said}
    } == set()


def test_torch_is_required_as_a_range():
    assert "torch>=2.6" in (requires("lamc") or [])
