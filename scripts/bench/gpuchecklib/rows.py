"""What a check found, a row each, and the table of them."""
import dataclasses

PASS, FAIL, NOT_REACHED, LEFT_OUT = "pass", "FAIL", "not reached", "left out"


@dataclasses.dataclass
class Row:
    part: str
    name: str
    result: str
    text: str = ""  # figures, or why
    seconds: float | None = None

    def line(self):
        seconds = "" if self.seconds is None else f"{self.seconds:6.1f} s"
        return f"{self.part:12} {self.name:22} {self.result:12} {seconds:9} {self.text}".rstrip()


def table(rows):
    head = f"{'part':12} {'what':22} {'result':12} {'time':>8}  figures, or why"
    return "\n".join([head, *(row.line() for row in rows)])


def status(rows):
    """0: all passed; 1: something failed; 2: nothing failed, and something was not reached."""
    results = {row.result for row in rows}
    return 1 if FAIL in results else 2 if NOT_REACHED in results else 0
