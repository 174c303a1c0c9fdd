"""Mulan's XML file of label names."""

from pathlib import Path
from xml.parsers import expat

from lamc.datasets.readers.files import first_bytes
from lamc.exceptions import DatasetError


def read_label_names(path: Path) -> list[str]:
    """Return the names of all ``<label name="…">`` in a Mulan XML file, nested ones too.

    A document type is refused: it may define entities that grow without bound or read files, and
    Mulan's files have none.
    """
    first_bytes(path)
    names: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] != "label":
            return
        if "name" not in attributes:
            raise DatasetError(f"{path}, line {parser.CurrentLineNumber}: a label has no name.")
        names.append(attributes["name"])

    def refuse_document_type(*_: object) -> None:
        raise DatasetError(
            f"{path}, line {parser.CurrentLineNumber}: a document type (<!DOCTYPE) is not read.\n"
            "Remove it; a file of labels needs none."
        )

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse_document_type
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise DatasetError(
            f"{path}, line {error.lineno}: {expat.ErrorString(error.code)}; this is not the XML "
            "of Mulan's labels, or is cut short.\nFetch it again, or name the labels: labels=[…]."
        ) from error
    if not names:
        raise DatasetError(
            f'{path} names no label; each is written <label name="…"></label>.\n'
            "Give Mulan's XML, or name the labels: labels=[…]."
        )
    return names
