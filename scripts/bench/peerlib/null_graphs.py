"""Graphs whose nodes do next to nothing: what a step costs is what dispatch costs.

Three forms, each of about 100,000 nodes: a chain; a fan-out from one node; layers 100 wide, each node with two inputs.
Each of NoOps joined by control edges, of additions of scalars, and of eight kernel classes mixed.
"""
import random

from tensorflow.core.framework import graph_pb2, types_pb2

from peerlib.model import Model

NODES = 100_000
WIDTH = 100
# How many inputs each class takes. All of them map whole numbers to whole numbers, so no denormal slows a step.
SCALAR_ADD = [("AddV2", 2)]
MIXED = [("AddV2", 2), ("Mul", 2), ("Sub", 2), ("Maximum", 2), ("Neg", 1), ("Square", 1), ("Abs", 1), ("Identity", 1)]


class NoOps:
    """Nodes that wait for each other and compute nothing."""

    def __init__(self, graph):
        self.graph = graph

    def source(self, name):
        self.graph.node.add(name=name, op="NoOp")

    def node(self, name, before):
        self.graph.node.add(name=name, op="NoOp", input=[f"^{other}" for other in dict.fromkeys(before)])


class Scalars:
    """Nodes that take float scalars, of the given classes in an order that no branch predictor learns."""

    def __init__(self, graph, classes):
        self.graph = graph
        self.classes = classes
        self.random = random.Random(1)

    def source(self, name):
        node = self.graph.node.add(name=name, op="Const")
        node.attr["dtype"].type = types_pb2.DT_FLOAT
        node.attr["value"].tensor.dtype = types_pb2.DT_FLOAT
        node.attr["value"].tensor.tensor_shape.SetInParent()
        node.attr["value"].tensor.float_val.append(1.0)

    def node(self, name, before):
        op, inputs = self.random.choice(self.classes)
        pair = (list(before) * 2)[:2]
        node = self.graph.node.add(name=name, op=op, input=pair[:inputs])
        node.attr["T"].type = types_pb2.DT_FLOAT


def chain(kind):
    kind.source("n0")
    for i in range(1, NODES):
        kind.node(f"n{i}", [f"n{i - 1}"])
    return [f"n{NODES - 1}"]


def fan_out(kind):
    kind.source("n0")
    for i in range(1, NODES):
        kind.node(f"n{i}", ["n0"])
    return [f"n{i}" for i in range(1, NODES)]


def layers(kind):
    for i in range(WIDTH):
        kind.source(f"n0_{i}")
    depth = NODES // WIDTH
    for layer in range(1, depth):
        for i in range(WIDTH):
            kind.node(f"n{layer}_{i}", [f"n{layer - 1}_{i}", f"n{layer - 1}_{(i + 1) % WIDTH}"])
    return [f"n{depth - 1}_{i}" for i in range(WIDTH)]


def finish(graph, last):
    graph.versions.producer = 1000
    graph.node.add(name="step", op="NoOp", input=[f"^{name}" for name in last])
    return Model(graph=graph, target="step", nodes=len(graph.node))


def no_ops(form):
    graph = graph_pb2.GraphDef()
    return finish(graph, form(NoOps(graph)))


def scalar_adds(form):
    graph = graph_pb2.GraphDef()
    return finish(graph, form(Scalars(graph, SCALAR_ADD)))


def mixed(form):
    graph = graph_pb2.GraphDef()
    return finish(graph, form(Scalars(graph, MIXED)))


def empty_step():
    return finish(graph_pb2.GraphDef(), [])
