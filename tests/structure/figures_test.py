#!/usr/bin/env python3
"""The figures of docs/performance are whole, and scripts/bench/figures finds what is wrong, adds, prints and draws."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "bench" / "figures"
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
from figureslib import curves, rows as figures  # noqa: E402

HEAD = ",".join(figures.COLUMNS) + "\n"


class FiguresTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="figures.csv"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def figures(self, *words):
        return subprocess.run([SCRIPT, *words], text=True, capture_output=True, check=False)

    def fault(self, line, words):
        with self.assertRaisesRegex(ValueError, words):
            figures.read(self.file(HEAD + line + "\n"))

    def add(self, measured, *options):
        """The rows of a new file with what was measured."""
        path = self.folder / "new.csv"
        outcome = self.figures("add", path, self.file(json.dumps(measured), "measured.json"), *options)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return figures.read(path)

    def test_the_files_are_whole(self):
        paths = sorted((ROOT / "docs" / "performance").glob("*.csv"))
        self.assertGreater(len(paths), 5)
        for path in paths:
            with self.subTest(path.name):
                self.assertGreater(len(figures.read(path)), 0)

    def test_faults(self):
        self.fault("a,,1,1,fast,ms,,,,", r"csv:2: value is 'fast'")
        self.fault("a,,1,1,5..3,ms,,,,", r"value is '5..3'")
        self.fault("a,,one,1,5,ms,,,,", r"threads is 'one'")
        self.fault("a,,1,1,5,,,,,", r"the value has no unit")
        self.fault("a,,1,1,,,,,,", r"there is no figure")
        self.fault("a,,1,1,5,ms,,,,ratio<=1", r"the figure that it bounds is missing")
        self.fault("a,,1,1,5,ms,,,,5 ms", r"aim is '5 ms'")
        self.fault("a,,1,1,5,ms,,,,\na,,1,1,6,ms,,,,", r"csv:3: the same as line 2")
        self.fault("a,,1,1,5,ms", r"6 cells")
        with self.assertRaisesRegex(ValueError, "csv:1: the head is"):
            figures.read(self.file("case,value\na,5\n"))

    def test_verdicts(self):
        for aim, verdict in (("ratio<=0.9", "reached"), ("ratio<=0.8", "missed at times"), ("ratio<=0.6", "missed"),
                             ("ratio>=0.7", "reached"), ("value>=50", "missed"), ("value-peer<=2", "reached")):
            row = figures.Row("a", value="5", unit="ms", peer_value="3", ratio="0.7..0.9", aim=aim)
            self.assertEqual(row.verdict(), verdict, aim)

    def test_misses_are_printed(self):
        path = self.file(HEAD + "a,,1,1,5,ms,,,,value<=4\nb,,1,1,5,ms,,,,value<=6\n")
        printed = self.figures("short", path).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in printed], ["case", "a"])

    def test_what_each_benchmark_writes(self):
        row = self.add([{"name": "p2p/8_B", "value": 0.5, "unit": "us", "limit": 0.25, "limit_name": "bare", "ratio": 2}],
                       "--setup", "over MPI", "--ranks", "2")[0]
        self.assertEqual((row.case, row.setup, row.ranks, row.value, row.peer, row.peer_value, row.ratio),
                         ("p2p/8_B", "over MPI", "2", "0.5", "bare", "0.25", "2"))
        row = self.add([{"name": "train/mlp/threads-2", "value": 10, "unit": "us", "peer_value": 40, "ratio": 0.25, "aim": 0.5,
                         "is_rate": False}])[-1]
        self.assertEqual((row.case, row.threads, row.ratio, row.aim), ("train/mlp", "2", "0.25", "ratio<=0.5"))
        row = self.add([{"name": "train/mlp/threads-1", "before_ms": 2.0, "now_ms": 1.0, "ratios": [0.45, 0.55]}])[-1]
        self.assertEqual((row.value, row.peer_value, row.ratio), ("1", "2", "0.45..0.55"))
        row = self.add({"made_by": "x", "rows": [{"name": "p2p/8", "us": {"dfrun/mpi": 1.0, "gloo": 90.0}, "best": "gloo",
                                                  "ratios": {"dfrun/mpi": {"gloo": 0.011}}}]})[-1]
        self.assertEqual((row.setup, row.peer, row.peer_value, row.ratio), ("dfrun/mpi", "gloo", "90", "0.011"))
        rows = self.add([{"workers": 1, "case": "scalar", "dfrun_ms": 0.005, "bare_ms": 0.01, "tensorflow_ms": 1.1,
                          "times": 220}])[-2:]
        self.assertEqual([(row.peer, row.ratio, row.ranks) for row in rows], [("TensorFlow over gRPC", "220", "2"),
                                                                           ("bare MPI", "0.5", "2")])
        row = self.add([{"workers": 4, "servers": 2, "case": "scalar", "dfrun_ms": 0.05, "bare_ms": 0.01, "tensorflow_ms": 5,
                         "times": 100, "turns": []}])[-2]
        self.assertEqual((row.case, row.ratio, row.ranks), ("scalar, read and updated: 2 servers, 4 workers", "100", "6"))
        rows = self.add([{"replicas": 4, "backup": 1, "ranks": 2, "median_ms": 20.0, "ninetieth_ms": 41.0, "times": 2.0}])[-2:]
        self.assertEqual([(row.value, row.ratio, row.ranks) for row in rows], [("20", "0.5", "2"), ("41", "", "2")])
        rows = self.add([{"format": "hdf5", "ranks": 1, "wait_us": 2.1, "share_of_all": 0.008}])[-2:]
        self.assertEqual([(row.value, row.unit) for row in rows], [("2.1", "us"), ("0.8", "%")])
        net = {"net": "gpt2", "precision": "tf32", "batch": 8, "ms": 10.0, "peers": {"jax": 12.5}}
        row = self.add({"made_by": "x", "rows": [net, {**net, "net": "mlp", "ms": None}]})[-1]
        self.assertEqual((row.case, row.peer, row.ratio), ("gpt2 b8, tf32", "jax", "0.8"))
        row = self.add({"made_by": "x", "gpus": {"H200": {"figures": {"first step": {"value": 0.4, "unit": "s"}}}}})[-1]
        self.assertEqual((row.case, row.setup, row.value), ("first step", "H200", "0.4"))
        outcome = self.figures("add", self.folder / "new.csv", self.file('[{"what": 1}]', "other.json"))
        self.assertEqual((outcome.returncode, "no benchmark of this project" in outcome.stderr), (1, True))

    def test_a_new_figure_takes_the_place_of_the_old_and_keeps_its_aim(self):
        figure = {"name": "a", "value": 1.0, "unit": "us", "limit": 2.0, "limit_name": "bare"}
        path = self.file(HEAD + "a,,,,9,us,bare,2,4.5,ratio<=1\n", "new.csv")
        self.assertEqual(figures.read(path)[0].verdict(), "missed")
        rows = self.add([figure])
        self.assertEqual([(row.value, row.ratio, row.verdict()) for row in rows], [("1", "0.5", "reached")])

    def test_pictures(self):
        for path in sorted((ROOT / "docs" / "performance").glob("*.csv")):
            rows = [row for row in figures.read(path) if row.ratio]
            outcome = self.figures("draw", path, self.folder / "picture.svg")
            self.assertEqual(outcome.returncode, 0 if rows else 1, outcome.stderr)
            if rows:
                picture = xml.etree.ElementTree.parse(self.folder / "picture.svg").getroot()
                bars = [each for each in picture.iter("{http://www.w3.org/2000/svg}rect") if len(each)]
                self.assertEqual(len(bars), len(rows), path.name)

    def test_curves(self):
        cases = {"scalar": [(1, 0.01, 2.0, "ms"), (4, 0.05, 5.0, "ms")], "dense": [(1, 30.0, 200.0, "ms")]}
        picture = xml.etree.ElementTree.fromstring(curves.draw({"1 server": cases, "2 servers": cases}))
        lines = list(picture.iter("{http://www.w3.org/2000/svg}polyline"))
        self.assertEqual(len(lines), 2 * 2 * len(cases), "a line and a dashed one for each case of each panel")
        self.assertEqual([len(line.get("points").split()) for line in lines[:4]], [2, 2, 1, 1])


if __name__ == "__main__":
    unittest.main()
