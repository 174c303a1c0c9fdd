"""What is known of the labels, from any form a user has, to one validated sparse form.

Unknown is not negative. A 0 in a matrix may mean "absent" or "nobody looked", and the two lead to
different answers; so :func:`as_labels` reads what is certain, takes the rest as stated, and
refuses what could be read in two ways, with both readings spelled out.
"""

from lamc.labels.forms import as_labels
from lamc.labels.known import Knowledge, Labels

__all__ = ["Knowledge", "Labels", "as_labels"]
