"""Times a training step in PyTorch, in a process of its own: eager, as a CUDA graph, or compiled. Prints one line of JSON.

    python -m gpunetlib.torch_side NET BATCH PRECISION MODE STEPS
"""
import json
import sys
import time

import torch
from torch.nn import functional

from gpunetlib import torch_nets

MODES = ("eager", "graphed", "compiled")
WARM_UP_STEPS = 5


def training_step(name, batch, precision, mode):
    tf32 = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True
    dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
    net, x, labels = torch_nets.make(name, batch, "cuda", dtype)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, foreach=True)

    def loss_of():
        return functional.cross_entropy(net(x).float(), labels)

    forward = torch.compile(loss_of) if mode == "compiled" else loss_of

    def step():
        optimizer.zero_grad(set_to_none=mode != "graphed")
        loss = forward()
        loss.backward()
        optimizer.step()
        return loss

    return graphed(step) if mode == "graphed" else step


def graphed(step):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def main(name, batch, precision, mode, steps):
    step = training_step(name, int(batch), precision, mode)
    for _ in range(WARM_UP_STEPS):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(int(steps)):
        step()
    torch.cuda.synchronize()
    ms = (time.perf_counter() - start) * 1e3 / int(steps)
    print(json.dumps({"ms": ms, "version": torch.__version__, "cudnn": torch.backends.cudnn.version()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
