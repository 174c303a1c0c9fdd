"""``make tables``."""

from tables.pages import main

main()
