"""Tables of rows: read and written batch by batch, with the columns that a model asks for."""
