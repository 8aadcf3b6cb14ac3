"""ask.py TENSORBOARD LOGDIR RUN...: starts TensorBoard on the folder LOGDIR with and without its data server, asks for all
that it has of the runs LOGDIR/RUN, run directories of dfrun, and compares the answers with metrics.jsonl."""
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import reader


def float32(value):
    words = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
    number = words[value] if isinstance(value, str) else float(value)
    return struct.unpack("<f", struct.pack("<f", number))[0]


class Board:
    def __init__(self, program, logdir, fast):
        words = [program, "--logdir", logdir, "--port", "0", "--host", "127.0.0.1", "--reload_interval", "5"]
        words += ["--samples_per_plugin", "scalars=1000000", "--load_fast", "true" if fast else "false"]
        self.log = open("board.log", "w+")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, start_new_session=True)
        self.url = self.wait(lambda: re.search(r"http://[^ ]*:\d+/", open("board.log").read()), "its address")[0]

    def wait(self, ready, what):
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(f"TensorBoard ended: {open('board.log').read()}")
            answer = ready()
            if answer:
                return answer
            time.sleep(0.1)
        sys.exit(f"TensorBoard does not give {what} within a minute: {open('board.log').read()}")

    def raw(self, path, body=None, **args):
        url = self.url + "data/plugin/" + path + ("?" + urllib.parse.urlencode(args) if args else "")
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as answer:
            return answer.read()

    def ask(self, path, body=None, **args):
        return json.loads(self.raw(path, body, **args))

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def metrics(logdir, run):
    """(run of TensorBoard, tag) -> {step: value}"""
    evaluations = json.load(open(f"{logdir}/{run}/run.json"))["evaluations"]
    expected = {}
    for line in open(f"{logdir}/{run}/metrics.jsonl"):
        line = json.loads(line)
        step = line.pop("step")
        line.pop("wall_s")
        for name, value in line.items():
            first = name.split("/")[0]
            of_run, tag = (first, name[len(first) + 1 :]) if first in evaluations else ("train", name)
            if not isinstance(value, str) or value in ("NaN", "Infinity", "-Infinity"):
                expected.setdefault((f"{run}/events/{of_run}", tag), {})[step] = float32(value)
    return expected


def check_scalars(board, plugin, expected):
    tags = {(run, tag) for run, tags in board.ask(f"{plugin}/tags").items() for tag in tags}
    assert tags == set(expected), tags ^ set(expected)
    count = 0
    for (run, tag), steps in expected.items():
        answer = board.ask(f"{plugin}/scalars", run=run, tag=tag)
        found = {step: float32(value) for _, step, value in answer}
        assert [step for _, step, _ in answer] == sorted(found), (run, tag)  # each step once, in order
        assert repr(sorted(found.items())) == repr(sorted(steps.items())), (run, tag, found, steps)
        count += len(found)
    return count


def check_hparams(board, logdir, runs):
    body = {"experimentName": "", "allowedStatuses": ["STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING",
            "STATUS_UNKNOWN"], "colParams": [], "startIndex": 0, "sliceSize": 1000}
    experiment = board.ask("hparams/experiment", {"experimentName": ""})
    names = {(m["name"].get("group", ""), m["name"]["tag"]) for m in experiment["metricInfos"]}
    body["colParams"] = [{"metric": m["name"]} for m in experiment["metricInfos"]]
    groups = board.ask("hparams/session_groups", body)["sessionGroups"]
    seen = {}
    for group in groups:
        for session in group["sessions"]:
            seen[session["name"]] = (group["hparams"], session)
    assert set(seen) == {f"{run}/events" for run in runs}, set(seen)
    for run in runs:
        record = json.load(open(f"{logdir}/{run}/run.json"))
        hparams, session = seen[f"{run}/events"]
        assert hparams == record["hparams"], (hparams, record["hparams"])
        assert session.get("status", "STATUS_UNKNOWN") == "STATUS_SUCCESS", session.get("status")
        values = {(m["name"].get("group", ""), m["name"]["tag"]): m for m in session["metricValues"]}
        for (of_run, tag), steps in metrics(logdir, run).items():
            metric = values[of_run.rsplit("/", 1)[1], tag]
            last = max(steps)
            assert metric.get("trainingStep", 0) == last, (tag, metric, last)
            assert repr(float32(metric.get("value", 0))) == repr(steps[last]), (tag, metric, steps[last])
    return len(names)


def check_graph(board, logdir, run):
    info = board.ask("graphs/info")[f"{run}/events/train"]
    assert info["run_graph"], info
    text = board.raw("graphs/graph", run=f"{run}/events/train").decode()
    shown = set(re.findall(r'^  device: "(.*)"', text, re.M))
    nodes = reader.graph(f"{logdir}/{run}/events/train")
    assert shown == set(nodes.values()) and len(shown) > 0, (shown, set(nodes.values()))
    assert text.count("\nnode {") + text.startswith("node {") == len(nodes), len(nodes)
    times = reader.times(f"{logdir}/{run}/events/train")
    assert {tag for tag, of in info["tags"].items() if of["profile"]} == set(times), (info["tags"], set(times))
    for tag, of_tag in times.items():
        answer = board.raw("graphs/run_metadata", run=f"{run}/events/train", tag=tag).decode()
        ends = [int(us) for us in re.findall(r"all_end_rel_micros: (\d+)", answer)]
        assert len(ends) >= len(of_tag) and min(ends) > 0 and set(of_tag.values()) <= set(ends), tag
    return len(nodes), len(times)


def check_layout(board, runs):
    layout = board.ask("custom_scalars/layout")
    titles = [category["title"] for category in layout["category"]]
    assert sorted(set(titles)) == ["accuracy", "loss", "ranks"] or set(titles) >= {"loss", "ranks"}, titles
    for run in runs:
        answer = board.ask("custom_scalars/scalars", run=f"{run}/events/train", tag="^loss$")
        assert answer["regex_valid"] and len(answer["tag_to_events"]["loss"]) > 0, answer
    return titles


program, logdir, *runs = sys.argv[1:]
expected = {}
for name in runs:
    expected.update(metrics(logdir, name))
for fast in (False, True):
    board = Board(program, logdir, fast)
    try:
        def loaded():
            tags = board.ask("scalars/tags")
            return all(tag in tags.get(run, {}) for run, tag in expected)
        board.wait(loaded, "all tags")
        time.sleep(6)  # a reload later it has all steps
        scalars = check_scalars(board, "scalars", expected)
        hparams = check_hparams(board, logdir, runs)
        nodes, steps = check_graph(board, logdir, runs[0])
        print(f"data server {fast}: {scalars} scalars of {len(expected)} tags, {hparams} metrics of hparams,",
              f"{nodes} nodes, {steps} traced steps, charts {check_layout(board, runs)}")
    finally:
        board.stop()
