#!/usr/bin/env python3
"""Gradients over several tasks: `python3 make_graphs.py`. See ../placed_loops.py and
../exported.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from placed_loops import add_all, placed

graph = placed(__file__)
add_all(graph, colocated=False)
graph.write()
