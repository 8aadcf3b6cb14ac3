"""Figures as lines of a terminal, as JSON, and as a table of a document."""
import json

COLUMNS = ("torch eager", "torch graphed", "torch compiled", "jax")


def line(row):
    peers = "  ".join(f"{name} {row['peers'][name]:.3g}" for name in COLUMNS if name in row["peers"])
    dfrun = f"{row['ms']:8.3f} ms" if row["ms"] is not None else "       -   "
    return f"{row['net']:10} {row['precision']:9} batch {row['batch']:4} {dfrun}  {peers}"


def cell(value):
    return "-" if value is None else f"{value:.3g}"


def table(rows):
    """A line a net and precision: ms a step."""
    lines = ["| net, batch, numbers | dfrun | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---|" * len(COLUMNS)]
    for row in rows:
        cells = [cell(row["ms"])] + [cell(row["peers"].get(name)) for name in COLUMNS]
        lines.append(f"| {row['net']} b{row['batch']}, {row['precision']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_json(path, rows, versions):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"made_by": "scripts/bench/gpu_nets", "versions": versions, "rows": rows}, file, indent=1)
        file.write("\n")
