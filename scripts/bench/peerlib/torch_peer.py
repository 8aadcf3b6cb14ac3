"""Runs a step of torch_models, where PyTorch is installed."""
import importlib.util
import time

import numpy

from peerlib.model import StepTime

WARM_UP_STEPS = 3


def has_torch():
    return importlib.util.find_spec("torch") is not None


class TorchPeer:
    """A training step in PyTorch's eager mode. The number of threads is the process's."""

    def __init__(self, name, threads):
        import torch  # pylint: disable=import-outside-toplevel
        from peerlib import torch_models  # pylint: disable=import-outside-toplevel
        self.set_threads = lambda: torch.set_num_threads(threads)
        self.step = getattr(torch_models, name)()

    def time_steps(self, steps):
        self.set_threads()
        for _ in range(WARM_UP_STEPS):
            self.step()
        times = []
        for _ in range(steps):
            start = time.perf_counter_ns()
            self.step()
            times.append(time.perf_counter_ns() - start)
        return StepTime(float(numpy.median(times)) * 1e-6, min(times) * 1e-6)
