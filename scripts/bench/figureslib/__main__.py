"""Command line of scripts/bench/figures."""
import argparse
import json
import pathlib
import sys

from figureslib import drawing, measured, rows as figures

FOLDER = pathlib.Path("docs/performance")
SHOWN = ("case", "setup", "threads", "ranks", "value", "unit", "peer", "peer_value", "ratio", "aim")


def arguments(words):
    parser = argparse.ArgumentParser(prog="scripts/bench/figures", description="the figures of docs/performance")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="put what a benchmark measured into a file of figures")
    add.add_argument("file", type=pathlib.Path)
    add.add_argument("measured", type=pathlib.Path, help="what --json of the benchmark wrote")
    add.add_argument("--setup", default="", help="the processor, the transport, the other load")
    add.add_argument("--threads", default="", help="of each process")
    add.add_argument("--ranks", default="")
    table = commands.add_parser("table", help="print figures, with whether each reaches its aim")
    table.add_argument("files", type=pathlib.Path, nargs="+")
    table.add_argument("--only", default="", help="rows whose case or setup holds this")
    table.add_argument("--markdown", action="store_true", help="as a table of a document")
    draw = commands.add_parser("draw", help="draw the ratios of a file")
    draw.add_argument("file", type=pathlib.Path)
    draw.add_argument("picture", type=pathlib.Path)
    draw.add_argument("--only", default="", help="rows whose case or setup holds this")
    short = commands.add_parser("short", help="print the figures that miss their aim")
    short.add_argument("files", type=pathlib.Path, nargs="*")
    return parser.parse_args(words)


def chosen(path, only):
    return [row for row in figures.read(path) if only in row.case or only in row.setup]


def print_rows(rows, markdown=False):
    lines = [[*SHOWN, "aim is"], *([*(getattr(row, name) for name in SHOWN), row.verdict()] for row in rows)]
    filled = [i for i, cells in enumerate(zip(*lines)) if any(cells[1:])]
    lines = [[line[i] for i in filled] for line in lines]
    if markdown:
        lines.insert(1, ["---"] * len(filled))
        print("\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines))
        return
    widths = [max(map(len, column)) for column in zip(*lines)]
    print("\n".join("  ".join(f"{cell:{width}}" for cell, width in zip(line, widths)).rstrip() for line in lines))


def add(args):
    new = measured.rows_of(json.loads(args.measured.read_text(encoding="utf-8")), args.setup, args.threads, args.ranks)
    old = figures.read(args.file) if args.file.exists() else []
    figures.write(args.file, figures.merge(old, new))
    figures.read(args.file)  # says what is wrong with the new rows
    print(f"{len(new)} figures are in {args.file}")


def run(args):
    if args.command == "add":
        add(args)
    elif args.command == "table":
        print_rows([row for path in args.files for row in chosen(path, args.only)], args.markdown)
    elif args.command == "draw":
        args.picture.write_text(drawing.draw(args.file.stem, chosen(args.file, args.only)), encoding="utf-8")
        print(f"drawn in {args.picture}")
    else:
        paths = args.files or sorted(FOLDER.glob("*.csv"))
        print_rows([row for path in paths for row in figures.read(path) if row.verdict().startswith("missed")])


def main():
    try:
        run(arguments(sys.argv[1:]))
    except (ValueError, OSError, KeyError) as error:
        sys.exit(f"scripts/bench/figures: {error}")


if __name__ == "__main__":
    main()
