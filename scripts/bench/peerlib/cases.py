"""The one table of comparisons: name, how its graph is made, steps a round, and what dfrun aims at.

For a case of `nodes` (dispatch) or `iterations` the figure is a rate and the aim a least ratio; else a time and a greatest ratio. Aims
are by the number of threads, the last one for more; of several peers the better counts.
"""
import dataclasses
from typing import Callable

from peerlib import loop_graphs, null_graphs, training_graphs
from peerlib.model import Model


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Model]
    steps: int
    aims: tuple

    def aim(self, threads):
        return self.aims[min(threads, len(self.aims)) - 1]


def dispatch_cases():
    kinds = {"noop": (null_graphs.no_ops, 2.0), "add": (null_graphs.scalar_adds, 8.0), "mixed": (null_graphs.mixed, 8.0)}
    forms = {"chain": null_graphs.chain, "fanout": null_graphs.fan_out, "layers": null_graphs.layers}
    for kind, (make, aim) in kinds.items():
        for form_name, form in forms.items():
            yield Case(f"dispatch/{kind}/{form_name}", lambda make=make, form=form: make(form), steps=20, aims=(aim,))


CASES = [
    Case("step/empty", null_graphs.empty_step, steps=20_000, aims=(0.1,)),
    *dispatch_cases(),
    Case("loops/scalar", loop_graphs.scalar, steps=1, aims=(40.0,)),
    Case("loops/scalar-general", loop_graphs.general(loop_graphs.scalar), steps=1, aims=(10.0,)),
    Case("loops/branching", loop_graphs.branching, steps=3, aims=(10.0,)),
    Case("loops/branching-general", loop_graphs.general(loop_graphs.branching), steps=3, aims=(8.0,)),
    Case("loops/branching-twice", loop_graphs.branching_twice, steps=3, aims=(10.0,)),
    Case("loops/nested-100", lambda: loop_graphs.nested(100), steps=3, aims=(10.0,)),
    Case("loops/nested-3", lambda: loop_graphs.nested(3), steps=3, aims=(8.0,)),
    Case("loops/vector-64", loop_graphs.vector, steps=3, aims=(8.0,)),
    Case("loops/tensor-array", loop_graphs.tensor_array, steps=10, aims=(8.0,)),
    Case("loops/rnn-100x8x32", loop_graphs.rnn, steps=200, aims=(0.33,)),
    Case("train/mlp-64-100-10", training_graphs.small_mlp, steps=5_000, aims=(0.5,)),
    Case("train/digits-cnn", training_graphs.digits_cnn, steps=300, aims=(0.9,)),
    Case("train/mlp-64-1024-1024-10", training_graphs.mlp, steps=60, aims=(0.92, 0.6)),
    Case("train/cnn-3-64-64-128", training_graphs.cnn, steps=15, aims=(1.0, 0.75)),
    Case("train/lstm-20x256", training_graphs.lstm, steps=20, aims=(0.85, 0.75)),
    Case("train/gru-2x20x128", training_graphs.gru, steps=20, aims=(1.0,)),
    Case("train/transformer-8x64x128", training_graphs.transformer, steps=40, aims=(1.0,)),
    Case("train/residual-32", training_graphs.residual, steps=20, aims=(1.0,)),
    Case("train/depthwise-32-64-128", training_graphs.depthwise, steps=20, aims=(1.0,)),
    Case("train/embeddings-50000x64", training_graphs.embeddings, steps=200, aims=(1.0,)),
    Case("train/autoencoder-784-512-64", training_graphs.autoencoder, steps=60, aims=(1.0,)),
]
