#!/usr/bin/env python3
"""Writes a spec whose nodes are spread over ranks: make_spec_of_ranks.py NODES RANKS.

Each rank has a chain of products; every eighth node takes the value of the rank beside it too."""
import sys


def main():
    nodes, ranks = int(sys.argv[1]), int(sys.argv[2])
    lines = ["dfrun: 1", "graph:"]
    for rank in range(ranks):
        device = f"/job:worker/task:{rank}"
        lines.append(f"  n{rank}_0: {{op: RandomUniform, shape: [8, 8], dtype: float32, seed: {rank + 1}, device: {device}}}")
    for turn in range(1, nodes // ranks):
        for rank in range(ranks):
            other = (rank + 1) % ranks if turn % 8 == 0 else rank
            lines.append(f"  n{rank}_{turn}: {{op: MatMul, inputs: [n{rank}_{turn - 1}, n{other}_{turn - 1}], "
                         f"device: /job:worker/task:{rank}}}")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
