"""The source code of a user's estimator: its module, and those it imports from beside it."""

import ast
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from lamc.benchmark.errors import BenchmarkError
from lamc.installed import is_installed


def source_checksum(modules: Mapping[str, Path]) -> str:
    """SHA-256 of modules and of all that they import from the folder that their package lies in.

    What is installed counts by the module alone: its version is on record with the results.
    Imports are read from the text, those inside functions too, so that the checksum does not
    depend on what else was imported.

    Parameters
    ----------
    modules : mapping
        Files by the names they are imported by.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.benchmark.source_code import source_checksum
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "helper.py").write_text("SCALE = 1")
    >>> _ = (folder / "mine.py").write_text("from helper import SCALE")
    >>> before = source_checksum({"mine": folder / "mine.py"})
    >>> _ = (folder / "helper.py").write_text("SCALE = 2")
    >>> source_checksum({"mine": folder / "mine.py"}) == before
    False
    """
    found = {name: file.resolve() for name, file in modules.items()}
    left = [name for name, file in found.items() if not is_installed(file)]
    while left:
        name = left.pop()
        for imported, file in _imported_from_beside(name, found[name]):
            if imported not in found:
                found[imported] = file
                left.append(imported)
    parts = (f"{name} {sha256(found[name].read_bytes()).hexdigest()}\n" for name in sorted(found))
    return sha256("".join(parts).encode()).hexdigest()


def _imported_from_beside(module: str, file: Path) -> Iterator[tuple[str, Path]]:
    """Modules that a module imports from the folder that holds it, or its outermost package."""
    if file.suffix != ".py":
        return
    root = file.parents[module.count(".") + (file.name == "__init__.py")]
    for name in _imports(module, file):
        path = root.joinpath(*name.split("."))
        for place in (path / "__init__.py", path.with_name(f"{path.name}.py")):
            if place.is_file():
                yield name, place
                break


def _imports(module: str, file: Path) -> Iterator[str]:
    """Names of the modules that a file may import, with the packages that they and it are in."""
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except (SyntaxError, ValueError) as error:
        raise BenchmarkError(f"{file} is no Python module: {error}.") from error
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    yield from _with_packages(package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_packages(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            yield from _with_packages(base)
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")


def _base(node: ast.ImportFrom, package: str) -> str:
    """The module that names are imported from; each dot after the first is a package up."""
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    upwards = parts[: len(parts) - node.level + 1]
    return ".".join([*upwards, node.module] if node.module else upwards)


def _with_packages(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:n]) for n in range(1, len(parts) + 1) if module)
