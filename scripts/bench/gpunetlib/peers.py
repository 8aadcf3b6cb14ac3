"""The peers, each in a process of its own, and why one is left out."""
import importlib.util
import json
import subprocess
import sys

LIMIT_S = 900
TORCH_MODES = ("eager", "graphed", "compiled")


def missing():
    """What is not here of what the peers need, as sentences."""
    sentences = []
    for module, name in (("torch", "PyTorch"), ("jax", "JAX")):
        if importlib.util.find_spec(module) is None:
            sentences.append(f"{name} is left out: {sys.executable} has no module {module}")
    return sentences


def run(module, *words):
    """The line of JSON that a peer prints."""
    command = [sys.executable, "-m", f"gpunetlib.{module}", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise RuntimeError(f"{' '.join(command[1:])} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def peers_of(net, batch, precision, steps):
    """Pairs of a peer's name and the call that times it."""
    if importlib.util.find_spec("torch") is not None:
        for mode in TORCH_MODES:
            yield f"torch {mode}", lambda mode=mode: run("torch_side", net.name, batch, precision, mode, steps)
    if importlib.util.find_spec("jax") is not None:
        yield "jax", lambda: run("jax_side", net.name, batch, precision, steps)
