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


def run(command):
    """The line of JSON that a peer prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{' '.join(command[1:])} had not ended after {LIMIT_S} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise RuntimeError(f"{' '.join(command[1:])} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def peers_of(net, batch, precision, steps):
    """Pairs of a peer's name and the command that times it."""
    def command(module, *words):
        return [sys.executable, "-m", f"gpunetlib.{module}", net.name, str(batch), precision, *words, str(steps)]

    if importlib.util.find_spec("torch") is not None:
        for mode in TORCH_MODES:
            yield f"torch {mode}", command("torch_side", mode)
    if importlib.util.find_spec("jax") is not None:
        yield "jax", command("jax_side")
