"""``python -m lamc``: the command, where the folder of scripts is not on the path."""

from lamc.cli import main

if __name__ == "__main__":
    main()
