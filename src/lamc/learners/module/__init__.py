"""Any torch module as a learner: what it is given, how it is trained, and the class over it."""

from lamc.learners.module.network import Network

__all__ = ["Network"]
