"""The file formats that :func:`lamc.datasets.read` knows, one a module."""
