"""``lamc data``: the data sets that LAMC knows, and files that it can read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lamc.cli import options
from lamc.cli.output import Output, table

if TYPE_CHECKING:
    from lamc.datasets import Dataset

app = typer.Typer(help="List, look at, convert and fetch data sets.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A name of the catalogue, or a file.")]


@app.command("list")
def list_(
    json: options.Json = False, quiet: options.Quiet = False, debug: options.Debug = False
) -> None:
    """List the data sets of the catalogue.

    Example: lamc data list
    """
    from lamc.datasets import catalogue

    entries = [(entry, entry.variants[0]) for entry in catalogue.values()]
    with Output(as_json=json, quiet=quiet) as out:
        rows = [
            (
                entry.name,
                f"{paper.rows:,}",
                f"{paper.features:,}",
                f"{paper.labels:,}",
                f"{paper.cardinality:.2f}",
                entry.domain,
                "fetched" if entry.file is not None else "by hand",
            )
            for entry, paper in entries
        ]
        columns = ("name", "rows", "features", "labels", "labels a row", "about", "to be had")
        out.show(table("Data sets of the paper", columns, rows))
        out.facts(
            {
                "data_sets": [
                    {
                        "name": entry.name,
                        "rows": paper.rows,
                        "features": paper.features,
                        "labels": paper.labels,
                        "labels_a_row": paper.cardinality,
                        "domain": entry.domain,
                        "can_be_fetched": entry.file is not None,
                        "sources": entry.sources,
                    }
                    for entry, paper in entries
                ]
            }
        )


@app.command()
def show(
    name: Name,
    labels: options.Labels = None,
    label_column: options.LabelColumn = None,
    separator: options.Separator = None,
    ids: options.Ids = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    words: options.Words = None,
    from_: options.From = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Describe a data set, by name or by file.

    Example: lamc data show yeast

    Example: lamc data show trees.csv --labels oak,elm
    """
    with Output(as_json=json, quiet=quiet) as out:
        data = _read(
            name,
            labels=labels,
            label_column=label_column,
            separator=separator,
            ids=ids,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            words=words,
            from_=from_,
        )
        _describe(out, data)


@app.command()
def read(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write: an .npz or .parquet file.")
    ],
    labels: options.Labels = None,
    label_column: options.LabelColumn = None,
    separator: options.Separator = None,
    ids: options.Ids = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    words: options.Words = None,
    from_: options.From = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Read any file that LAMC can read, and write it as .npz or .parquet.

    An .npz file keeps features as numbers, labels, names and parts, but no ids, and needs no
    options to be read again.
    In a Parquet table the column "labels" lists the labels of a row.

    Example: lamc data read yeast.arff -o yeast.npz

    Example: lamc data read trees.csv --label-column tags --separator ';' -o trees.parquet
    """
    from lamc.datasets import write_npz
    from lamc.tables.conversion import write_parquet

    if output.suffix.lower() not in (".npz", ".parquet"):
        raise typer.BadParameter(f"{output} ends neither in .npz nor in .parquet.")
    options.check_output(output, force=force)
    with Output(as_json=json, quiet=quiet) as out:
        data = _read(
            name,
            labels=labels,
            label_column=label_column,
            separator=separator,
            ids=ids,
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            words=words,
            from_=from_,
        )
        if output.suffix.lower() == ".npz":
            write_npz(data, output)
        else:
            for note in write_parquet(data, output):
                out.note(note)
        _describe(out, data, output=str(output))
        out.show(f"Wrote {output}.")


@app.command()
def fetch(
    names: Annotated[
        list[str], typer.Argument(help="Names of the catalogue, or all for all that can be had.")
    ],
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Download data sets into the cache, and check what came.

    What is there already is not fetched again. LAMC_CACHE names another
    folder, and LAMC_MIRROR another address.

    Example: lamc data fetch yeast scene
    """
    from lamc.datasets import catalogue, load
    from lamc.datasets.download import cache_folder

    wanted = names
    if names == ["all"]:
        wanted = [entry.name for entry in catalogue.values() if entry.file is not None]
    with Output(as_json=json, quiet=quiet) as out:
        folder = cache_folder()
        found = []
        for name in wanted:
            before = _files(folder)
            data = load(name)
            came = sorted(_files(folder) - before)
            what = f"fetched into {folder}" if came else "was there already"
            out.show(f"{data.name} {what}: {data.X.shape[0]:,} rows, {data.Y.shape[1]:,} labels.")
            found.append({**_facts(data), "fetched": bool(came)})
        out.facts({"folder": str(folder), "data_sets": found})


def _read(name: str, **reading: Any) -> "Dataset":
    from lamc.tables.labelled import read_dataset

    return read_dataset(options.data_file(name, **reading, knowledge=None, part=None))


def _describe(out: Output, data: "Dataset", output: str | None = None) -> None:
    counts = data.Y.sum(axis=0)
    out.show(
        repr(data),
        f"features: {_first(data.feature_names.tolist())}",
        f"labels: {_first(data.label_names.tolist())}",
        f"rows of a label: {int(counts.min()):,} to {int(counts.max()):,}",
        *(() if data.split is None else (f"split: {data.split!r}",)),
        *(() if data.observed is None else ("observed labels: in the file",)),
    )
    for note in data.notes:
        out.note(note)
    written = {} if output is None else {"output": output}
    out.facts(_facts(data) | written)


def _first(names: list[str]) -> str:
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more


def _facts(data: "Dataset") -> dict[str, Any]:
    return {
        "name": data.name,
        "rows": data.X.shape[0],
        "features": data.X.shape[1],
        "labels": data.Y.shape[1],
        "labels_a_row": data.cardinality,
        "label_names": data.label_names,
        "rows_of_a_label": data.Y.sum(axis=0),
        "variant": data.variant,
    }


def _files(folder: Path) -> set[Path]:
    return set(folder.rglob("*")) if folder.is_dir() else set()
