"""A folder laid out like a newcomer's checkout, in which the commands of documents are run by the built program."""
import os
import pathlib
import shutil
import subprocess
import time

from . import tfrecord

# What the commands of documents read. `build/release/bin` is where the README has the program.
COPIED = ["configs", "scripts", "examples"]
SECONDS = 120  # of any command: one that ends in a second may take long beside a whole test suite


class Checkout:
    """`folder` is the caller's, and empty. Not for several threads."""

    def __init__(self, root, program, folder):
        self.root = pathlib.Path(folder)
        self.slowest = []  # (seconds, command)
        for name in COPIED:
            if (root / name).exists():
                shutil.copytree(root / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        self._add_records()
        (self.root / "build" / "release").mkdir(parents=True)
        (self.root / "build" / "release" / "bin").symlink_to(pathlib.Path(program).resolve().parent)

    def _add_records(self):
        """What the example of docs/spec.md reads."""
        examples = [{"image": [0.5] * 64, "word_ids": list(range(1, n))} for n in range(2, 34)]
        for path in ("configs/data/train-0.tfrecord", "configs/more.tfrecord"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            tfrecord.write(self.root / path, examples)

    def dfrun(self, *words):
        """The outcome of `dfrun WORDS...`."""
        return self.run(["dfrun", *words])

    def run(self, words):
        """Its return code, and what it wrote to both streams."""
        begin = time.monotonic()
        outcome = run_program(words, self.root)
        self.slowest.append((time.monotonic() - begin, " ".join(words)))
        return outcome

    def write(self, path, text):
        (self.root / path).write_text(text, encoding="utf-8")

    def exists(self, path):
        return (self.root / path).exists()


def run_program(words, folder):
    """Its return code, and what it wrote to both streams. As in a shell, 124 where it took too long, 127 where it is not."""
    try:
        process = subprocess.Popen(words, cwd=folder, env=environment(folder), text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return 127, str(error)
    with process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.terminate()  # at which mpirun ends its ranks
            output, _ = process.communicate()
            return 124, f"{output}\nit had not ended after {SECONDS} s"


def environment(folder):
    """The caller's without the program's own variables. Ranks are of one host, need no network, and may be many."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DFRUN_", "OMPI_", "PMIX_"))}
    kept.update({
        # The system's Python has h5py, as other tests take it for granted.
        "PATH": f"{folder}/build/release/bin:/usr/bin:{os.environ.get('PATH', '')}",
        "HOME": str(folder), "DFRUN_CACHE": "off", "OMP_NUM_THREADS": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_oob_tcp_if_include": "lo",
    })
    return kept
