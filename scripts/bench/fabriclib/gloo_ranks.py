"""A process of Gloo's side: python -m fabriclib.gloo_ranks BENCH RANK RANKS PORT PASSES SIZES

SIZES is JSON: of each case its name, bytes and count. Rank 0 prints {name: microseconds} as its last line, each the median
of the passes."""
import json
import statistics
import sys
import time

import torch
import torch.distributed as dist


def to_and_fro(rank, size, count):
    """Seconds that a value takes one way between ranks 0 and 1. Rank 1 sends back what came, as the other sides do."""
    sent, received = torch.zeros(size // 4), torch.zeros(size // 4)
    dist.barrier()
    start = time.perf_counter()
    for _ in range(count):
        if rank == 0:
            dist.send(sent, 1)
            dist.recv(received, 1)
        else:
            dist.recv(received, 0)
            dist.send(received, 0)
    return (time.perf_counter() - start) / (2 * count)


def sums(_, size, count):
    """Seconds of a sum over all ranks, each of the sums that the one before gave."""
    value = torch.zeros(size // 4)
    dist.barrier()
    start = time.perf_counter()
    for _ in range(count):
        dist.all_reduce(value)
    return (time.perf_counter() - start) / count


BENCHES = {"p2p": to_and_fro, "all_reduce": sums}


def main():
    bench, rank, ranks, port, passes, sizes = sys.argv[1:]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=int(rank), world_size=int(ranks))
    times = {}
    for name, size, count in json.loads(sizes):
        call = BENCHES[bench]
        call(int(rank), size, max(1, count // 10))  # the first calls connect
        times[name] = statistics.median(call(int(rank), size, count) for _ in range(int(passes))) * 1e6
    dist.barrier()
    dist.destroy_process_group()
    if rank == "0":
        print(json.dumps(times))


if __name__ == "__main__":
    main()
