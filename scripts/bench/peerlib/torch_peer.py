"""Runs a step of torch_models, where PyTorch is installed, in a process of its own: PyTorch's compiler and TensorFlow
each bring an LLVM, and two of those in one process end it."""
import dataclasses
import importlib.util
import json
import subprocess
import sys

from peerlib.model import StepTime, time_steps


def has_torch():
    return importlib.util.find_spec("torch") is not None


class TorchPeer:
    """A training step in PyTorch's eager mode."""

    def __init__(self, name, threads):
        command = [sys.executable, "-m", "peerlib.torch_peer", name, str(threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def time_steps(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"PyTorch's process ended with {self.process.wait()}")
        return StepTime(**json.loads(line))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait()


def serve(name, threads):
    """Answers each number of steps on stdin with their time."""
    import torch  # pylint: disable=import-outside-toplevel
    from peerlib import torch_models  # pylint: disable=import-outside-toplevel
    torch.set_num_threads(threads)
    step = getattr(torch_models, name)()
    for line in sys.stdin:
        print(json.dumps(dataclasses.asdict(time_steps(step, int(line)))), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
