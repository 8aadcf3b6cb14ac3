#!/usr/bin/env python3
"""Gradients over several tasks that are colocated with what they differentiate. Where that is on two tasks only soft
placement runs them: `python3 make_graphs.py`. See ../placed_loops.py and
../exported.py."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from placed_loops import add_all, placed

graph = placed(__file__)
add_all(graph, colocated=True)
graph.write()
