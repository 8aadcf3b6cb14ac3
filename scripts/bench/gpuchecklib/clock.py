"""The time that a check may take, as a whole and by part."""
import time


class Clock:
    def __init__(self, total_s):
        self._start = time.monotonic()
        self._end = self._start + total_s

    def seconds(self):
        """Since the start."""
        return time.monotonic() - self._start

    def part(self, bound_s):
        """A clock of a part, which ends with the whole at the latest."""
        part = Clock(bound_s)
        part._end = min(part._end, self._end)
        return part

    def left_s(self):
        return max(0.0, self._end - time.monotonic())
