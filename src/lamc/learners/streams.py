"""Streams of random numbers: what a seed is joined with for each purpose, and then the epoch.

So what is drawn for one purpose does not depend on what is drawn for another, and an epoch draws
the same whether training was resumed before it or not. Change a number, and the same seed gives
another model.

Some purposes share a number. That is harmless, for no two of them meet in one generator: ROLE, MIME
and SMILE are never trained together, and what seeds torch's own generator is drawn from by torch
alone.
"""

START = 0  # weights of a network
ORDER = 1  # order of the rows, in an epoch
DROPOUT = 2  # hidden units that are left out, in an epoch
ESTIMATES = 3  # of labels, at their start: ROLE
CODES = 3  # noise of the codes, in an epoch: MIME
LOSSES = 3  # seed of torch, in an epoch of a group of networks, for losses that draw
SIDE_NETWORKS = 4  # weights of the networks beside a classifier: SMILE
MODULES = 4  # seed of torch, in an epoch of a module: Network
LABELS = 5  # drawn by their estimates, in an epoch: SMILE
