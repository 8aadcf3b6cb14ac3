"""Prints the table of scripts/bench/null_step from the files that the two sides wrote."""
import argparse
import json
import pathlib


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    rows = []
    for file in sorted(args.folder.glob("dfrun_*.json"), key=lambda f: int(f.stem.split("_")[1])):
        workers = int(file.stem.split("_")[1])
        peers = json.loads((args.folder / f"tensorflow_{workers}.json").read_text(encoding="utf-8"))
        for figure in json.loads(file.read_text(encoding="utf-8")):
            case = figure["name"].split("/")[-1]
            own = figure["value"] * 1e-3
            rows.append({"workers": workers, "case": case, "dfrun_ms": own, "bare_ms": figure["limit"] * 1e-3,
                         "tensorflow_ms": peers[case] * 1e3, "times": peers[case] * 1e3 / own})
    print(f"{'workers':>7}  {'read':14}  {'dfrun ms':>10}  {'bare ms':>10}  {'TensorFlow ms':>13}  {'times':>7}")
    for row in rows:
        print(f"{row['workers']:7}  {row['case']:14}  {row['dfrun_ms']:10.4f}  {row['bare_ms']:10.4f}  "
              f"{row['tensorflow_ms']:13.4f}  {row['times']:7.1f}")
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
