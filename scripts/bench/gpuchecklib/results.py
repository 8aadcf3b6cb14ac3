"""Figures by GPU: a file of JSON that grows with each host, and its table, a column a GPU."""
import datetime
import json

KERNELS_KEPT = 30


def figures_of(measured, first_result_s, times_of_peers):
    """{name: {value, unit}}."""
    figures = {f"{one.net.name} b{one.batch}, {one.precision}": {"value": one.ms, "unit": "ms"}
               for one in measured if one.ms is not None}
    if first_result_s is not None:
        figures["first step of the mlp, from its start"] = {"value": first_result_s, "unit": "s"}
    for (net, precision, who), ms in times_of_peers.items():
        figures[f"{net}, {precision}, {who} beside its peers"] = {"value": ms, "unit": "ms"}
    return figures


def read(path):
    if not path.exists():
        return {"made_by": "scripts/gpu-check", "gpus": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def merge(path, it, rows, figures, kernels):
    """Adds what was found on this GPU to the file; figures that were not reached this time stay, with their date."""
    results = read(path)
    today = datetime.date.today().isoformat()
    of_gpu = results["gpus"].setdefault(it.gpu, {"figures": {}, "kernels": []})
    of_gpu["versions"] = it.versions
    of_gpu["rows"] = [[row.part, row.name, row.result, row.text] for row in rows]
    of_gpu["figures"] |= {name: {**figure, "date": today} for name, figure in figures.items()}
    if kernels:
        of_gpu["kernels"] = [{"calls": calls, "us": us, "name": name} for calls, us, name in kernels[:KERNELS_KEPT]]
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return results


def table(results):
    """A line a figure, a column a GPU."""
    gpus = list(results["gpus"])
    names = list(dict.fromkeys(name for gpu in gpus for name in results["gpus"][gpu]["figures"]))
    lines = ["| figure | " + " | ".join(gpus) + " |", "|---" * (len(gpus) + 1) + "|"]
    for name in names:
        figures = [results["gpus"][gpu]["figures"].get(name) for gpu in gpus]
        cells = ["-" if figure is None else f"{figure['value']:.3g} {figure['unit']}" for figure in figures]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
