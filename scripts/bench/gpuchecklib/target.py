"""What is checked: a bundle on a host with a GPU, or on the emulated one, and how much of it."""
import dataclasses
import os
import pathlib
import re

from gpuchecklib import processes

# Bounds of parts in seconds, of a whole of 360.
WHOLE_S = 360
BOUNDS_S = {"info": 20, "correctness": 90, "start": 10, "nets": 160, "kernels": 60, "peers": 200, "racecheck": 130}

# On the emulated GPU, whose arithmetic is the host's: enough that each part does something.
EMULATED_GOLDEN = "array.*:matrix.*"
EMULATED_GPU = "*Products*:*BatchNormalisation*:*MemoryIsUsedAgain*:*NoMoreMemory*:*RecordedTransforms*-*RecordedProducts*"
EMULATED_CONTROL_FLOW = "*ControlFlow*Cond*"
EMULATED_NETS = ("alexnet", "mlp")


@dataclasses.dataclass
class Target:
    folder: pathlib.Path  # the bundle
    out: pathlib.Path
    is_emulated: bool
    scale: float  # of all bounds
    environment: dict
    gpu: str = ""
    versions: list = dataclasses.field(default_factory=list)

    def bound_s(self, part):
        return BOUNDS_S[part] * self.scale

    def program(self, name):
        return self.folder / "bin" / name

    def job(self, name, command, environment=None, folder=None):
        """Its log is named as it is."""
        log = self.out / (name.replace(" ", "-") + ".log")
        return processes.Job(name, command, log, {**self.environment, **(environment or {})}, folder or self.folder)


def environment_of(folder, parts):
    """`parts`: the folder of the emulated GPU, or empty."""
    environment = {"DFRUN_GOLDEN_DIR": str(folder / "share/golden"), "DFRUN_TEST_DEVICE": "gpu"}
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if parts:
        environment |= {"DFRUN_DEVICE_PARTS": str(parts), "DFRUN_EMULATED_CARD": "no-libraries"}
    return environment


def find_gpu(target):
    """Sets its name and versions; gives why there is none, or None."""
    limit_s = target.bound_s("info")
    outcome = processes.run(target.job("info", [target.program("dfrun"), "info"]), limit_s)
    if outcome.code != 0:
        return f"dfrun info ended with {outcome.code}, see {target.out / 'info.log'}"
    device = re.search(r"^device +\S*/device:gpu:0: *([^,\n]*)", outcome.text, re.MULTILINE)
    if device is None:
        why = re.search(r"^device +none of type gpu: (.*)$", outcome.text, re.MULTILINE)
        return why[1] if why else f"dfrun info names no GPU, see {target.out / 'info.log'}"
    target.gpu = device[1].strip()
    wanted = ("dfrun", "CUDA", "cuBLASLt", "cuDNN", "cuFFT")
    target.versions = [" ".join(line.split()) for line in outcome.text.splitlines() if line.startswith(wanted)]
    return None
