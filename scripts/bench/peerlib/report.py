"""Results as a table for readers and as JSON for programs."""
import dataclasses
import json
import pathlib

HEADER = (f"{'case':36} {'dfrun':>10} {'TensorFlow':>10} {'PyTorch':>10} {'':8} {'ratio':>7} {'(min-max)':>15} {'best':>7} "
          f"{'aim':>8}")


def line(result):
    aim = f"{'>=' if result.is_rate else '<='} {result.aim:g}"
    spread = f"({result.ratio_min:.2f}-{result.ratio_max:.2f})"
    torch = f"{result.torch_value:.4g}" if result.torch_value is not None else "-"
    return (f"{result.name:36} {result.value:10.4g} {result.peer_value:10.4g} {torch:>10} {result.unit:8} {result.ratio:7.3g} "
            f"{spread:>15} {result.best_ratio:7.3g} {aim:>8} {'' if result.reached else 'missed'}").rstrip()


def write_json(results, path):
    write_json_rows([dict(dataclasses.asdict(result), reached=result.reached) for result in results], path)


def write_json_rows(rows, path):
    pathlib.Path(path).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
