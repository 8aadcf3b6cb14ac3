"""Training steps of the nets of scripts/bench/nets: each runs twice, and has equal losses."""
from gpuchecklib import target
from gpuchecklib.rows import FAIL, NOT_REACHED, PASS, Row
from gpunetlib.dfrun_side import DfrunSide
from gpunetlib.nets import NETS, params_of

PART = "nets"
PRECISIONS = ("tf32", "bfloat16")
STEPS = 40
# Of a small net, whose steps are too short for a clock.
SHORT_STEPS = 2400
EMULATED_STEPS = 3
# Seconds in which nothing more is begun.
LEAST_S = 2
# Of the part, for one run: a net that hangs does not take the others' time.
SHARE_OF_RUN = 0.25


def params_for(net, precision, is_emulated):
    params = params_of(net, precision, is_emulated, 0, "/device:gpu:0")
    params["steps"] = EMULATED_STEPS if is_emulated else SHORT_STEPS if net.name == "mlp" else STEPS
    params["log"] = 1 if is_emulated else params["steps"] // 8
    return params


class Measured:
    """A net in one precision."""

    def __init__(self, net, precision):
        self.net = net
        self.precision = precision
        self.batch = net.batch
        self.ms = None
        self.losses = []
        self.seconds = 0.0
        self.result = NOT_REACHED
        self.text = ""

    @property
    def can_run_again(self):
        return self.ms is not None and self.result != FAIL

    @property
    def name(self):
        return f"{self.net.name} {self.precision}"

    def run(self, side, is_emulated, clock, is_again):
        """`clock` is that of this run."""
        begun = clock.seconds()
        try:
            params = params_for(self.net, self.precision, is_emulated)
            ms, losses = side.measure(self.net, params, f"{self.net.name}-{self.precision}", clock.left_s())
            self.batch = params.get("batch", self.net.batch)
            self._take(ms, losses, is_again)
        except TimeoutError:
            self.text += ", and its second run was not reached" if is_again else "its time was over"
            self.result = NOT_REACHED
        except RuntimeError as error:
            self.result, self.text = FAIL, str(error).replace("\n", " ")[:300]
        self.seconds += clock.seconds() - begun

    def _take(self, ms, losses, is_again):
        if not is_again:
            self.ms, self.losses = ms, losses
            self.text = f"{ms:.4g} ms a step of {self.batch} {self.net.samples}"
            return
        self.ms = min(self.ms, ms)
        if losses == self.losses and losses:
            self.result, self.text = PASS, f"{self.ms:.4g} ms a step of {self.batch} {self.net.samples}, {len(losses)} equal losses"
        else:
            self.result, self.text = FAIL, f"other losses the second time: {self.losses} and {losses}"

    def row(self):
        text = self.text or "no time was left"
        if self.result == NOT_REACHED and self.ms is not None and "second" not in text:
            text += ", and its second run was not reached"
        return Row(PART, self.name, self.result, text, self.seconds or None)


def nets_of(it):
    return [net for net in NETS if not it.is_emulated or net.name in target.EMULATED_NETS]


def check(it, clock):
    """Rows, and what was measured. All run once before any runs again, so that as many as can be have figures."""
    side = DfrunSide(it.program("dfrun"), it.out / "nets", it.environment)
    part = clock.part(it.bound_s(PART))
    measured = [Measured(net, precision) for precision in PRECISIONS for net in nets_of(it)]
    for is_again in (False, True):
        for one in measured:
            if part.left_s() >= LEAST_S and (not is_again or one.can_run_again):
                one.run(side, it.is_emulated, part.part(SHARE_OF_RUN * it.bound_s(PART)), is_again)
    return [one.row() for one in measured], measured
