"""The tables of the pages, made from the files in ``results/``."""
