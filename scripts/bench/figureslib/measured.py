"""Rows of figures from the files that `--json` of the benchmarks writes."""
import dataclasses
import re

from figureslib.rows import Row


def rows_of(document, setup, threads, ranks):
    """`document`: the parsed JSON. ValueError where no benchmark writes such a file."""
    shared = {"setup": setup, "threads": threads, "ranks": ranks}
    if isinstance(document, dict) and "gpus" in document:
        return of_gpu_check(document["gpus"], shared)
    entries = document["rows"] if isinstance(document, dict) else document
    return [row for entry in entries for row in rows_of_entry(entry, shared)]


def rows_of_entry(entry, shared):
    for keys, make in FORMS:
        if keys <= entry.keys():
            return make(entry, shared)
    raise ValueError(f"no benchmark of this project writes an entry of {', '.join(sorted(entry))}")


def of_bench(entry, shared):
    """`dfrun bench NAME --json`, scripts/bench/startup."""
    limit = entry["limit"]
    return [Row(entry["name"], **shared, value=number(entry["value"]), unit=entry["unit"], peer=entry.get("limit_name", ""),
                peer_value=number(limit) if limit else "", ratio=number(entry["value"] / limit) if limit else "")]


def of_peers(entry, shared):
    """scripts/bench/peers."""
    name, own = with_threads(entry["name"], shared)
    aim = f"ratio{'>=' if entry['is_rate'] else '<='}{number(entry['aim'])}"
    return [Row(name, **own, value=number(entry["value"]), unit=entry["unit"], peer="TensorFlow",
                peer_value=number(entry["peer_value"]), ratio=number(entry["ratio"]), aim=aim)]


def of_builds(entry, shared):
    """scripts/bench/peers --before."""
    name, own = with_threads(entry["name"], shared)
    return [Row(name, **own, value=number(entry["now_ms"]), unit="ms", peer="the program before",
                peer_value=number(entry["before_ms"]), ratio=span(entry["ratios"]))]


def of_fabric(entry, shared):
    """scripts/bench/fabric_peers: each way of dfrun's by each peer."""
    return [Row(entry["name"], **{**shared, "setup": "; ".join(filter(None, (own, shared["setup"])))},
                value=number(entry["us"][own]), unit="us", peer=peer, peer_value=number(entry["us"][peer]),
                ratio=number(ratio))
            for own, peers in entry["ratios"].items() for peer, ratio in peers.items()]


def of_null_step(entry, shared):
    """scripts/bench/null_step: the workers of parameter servers, which only read, or update too."""
    own = {**shared, "ranks": str(entry["workers"] + entry.get("servers", 1))}
    case = entry["case"]
    if "servers" in entry:
        case += f", read and updated: {count(entry['servers'], 'server')}, {count(entry['workers'], 'worker')}"
    ratios = {"TensorFlow over gRPC": (entry["tensorflow_ms"], entry["times"]),
              "bare MPI": (entry["bare_ms"], entry["dfrun_ms"] / entry["bare_ms"])}
    return [Row(case, **own, value=number(entry["dfrun_ms"]), unit="ms", peer=peer, peer_value=number(value),
                ratio=number(ratio)) for peer, (value, ratio) in ratios.items()]


def of_backup(entry, shared):
    """scripts/bench/null_step backup: a step by the number of backup replicas."""
    own = {**shared, "ranks": str(entry["ranks"])}
    case = f"a step of {count(entry['replicas'], 'replica')} and {entry['backup']} for backup"
    return [Row(f"{case}, median", **own, value=number(entry["median_ms"]), unit="ms", peer="without backup",
                peer_value=number(entry["median_ms"] * entry["times"]), ratio=number(1 / entry["times"])),
            Row(f"{case}, 90th percentile", **own, value=number(entry["ninetieth_ms"]), unit="ms")]


def of_input_wait(entry, shared):
    """scripts/bench/input_wait: what a step of the digits CNN waits for its input."""
    own = {**shared, "ranks": str(entry["ranks"])}
    case = f"a step of the digits CNN waits for its input from {entry['format']}"
    return [Row(f"{case}, median", **own, value=number(entry["wait_us"]), unit="us"),
            Row(f"{case}, all steps together, share of the step", **own, value=number(100 * entry["share_of_all"]), unit="%")]


def of_gpu_nets(entry, shared):
    """scripts/bench/gpu_nets: a step of a net beside each peer, or alone."""
    if entry["ms"] is None:
        return []
    case = f"{entry['net']} b{entry['batch']}, {entry['precision']}"
    alone = Row(case, **shared, value=number(entry["ms"]), unit="ms")
    return [dataclasses.replace(alone, peer=peer, peer_value=number(ms), ratio=number(entry["ms"] / ms))
            for peer, ms in entry["peers"].items()] or [alone]


def of_gpu_check(gpus, shared):
    """The results of scripts/gpu-check, a GPU each."""
    return [Row(name, **{**shared, "setup": "; ".join(filter(None, (gpu, shared["setup"])))}, value=number(figure["value"]),
                unit=figure["unit"]) for gpu, found in gpus.items() for name, figure in found["figures"].items()]


FORMS = (
    ({"format", "ranks", "wait_us", "share_of_all"}, of_input_wait),
    ({"net", "precision", "batch", "ms", "peers"}, of_gpu_nets),
    ({"name", "value", "peer_value", "ratio", "aim", "is_rate"}, of_peers),
    ({"name", "before_ms", "now_ms", "ratios"}, of_builds),
    ({"name", "us", "ratios"}, of_fabric),
    ({"workers", "case", "dfrun_ms", "bare_ms", "tensorflow_ms"}, of_null_step),
    ({"replicas", "backup", "median_ms", "ninetieth_ms"}, of_backup),
    ({"name", "value", "unit", "limit"}, of_bench),
)


def with_threads(name, shared):
    """The name without `/threads-N`, which is the number of threads."""
    match = re.fullmatch(r"(.*)/threads-(\d+)", name)
    return (match[1], {**shared, "threads": match[2]}) if match else (name, shared)


def count(number_of, what):
    return f"{number_of} {what}{'' if number_of == 1 else 's'}"


def number(value):
    """Three digits, never in scientific notation."""
    text = f"{float(value):.3g}"
    return f"{float(text):.10f}".rstrip("0").rstrip(".") if "e" in text else text


def span(values):
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low}..{high}"
