"""A picture of curves: panels side by side, each with cases by the number of ranks, workers or the like, both axes
logarithmic. A case has a line, and a dashed one for what stands beside it."""
import math

from figureslib.measured import number

WIDTH, HEIGHT, MARGIN = 360, 260, 56
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"]


def scale(values, low, high):
    """A logarithmic scale of positive values onto [low, high]."""
    logs = [math.log10(v) for v in values if v > 0]
    first, last = min(logs), max(logs)
    span = (last - first) or 1
    return lambda v: low + (math.log10(max(v, 10 ** first)) - first) / span * (high - low)


def panel(bench, cases, left):
    points = [p for case in cases.values() for p in case]
    x = scale([p[0] for p in points], left + MARGIN, left + WIDTH - 12)
    y = scale([p[1] for p in points] + [p[2] for p in points], HEIGHT - MARGIN, 28)
    unit = points[0][3]
    out = [f'<text x="{left + WIDTH / 2}" y="18" text-anchor="middle" font-weight="bold">{bench} ({unit})</text>',
           f'<rect x="{left + MARGIN}" y="28" width="{WIDTH - MARGIN - 12}" height="{HEIGHT - MARGIN - 28}" fill="none" stroke="#999"/>']
    for ranks in sorted({p[0] for p in points}):
        out.append(f'<text x="{x(ranks)}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{ranks}</text>')
    everything = [p[1] for p in points] + [p[2] for p in points]
    for value in sorted({min(everything), max(everything)}):
        out.append(f'<text x="{left + MARGIN - 4}" y="{y(value) + 4}" text-anchor="end">{number(value)}</text>')
    for i, (case, curve) in enumerate(cases.items()):
        colour = COLOURS[i % len(COLOURS)]
        for column, dash in ((1, ""), (2, ' stroke-dasharray="4 3"')):
            line = " ".join(f"{x(p[0]):.1f},{y(p[column]):.1f}" for p in curve)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}"{dash}/>')
            out += [f'<circle cx="{x(p[0]):.1f}" cy="{y(p[column]):.1f}" r="2" fill="{colour}"/>' for p in curve]
        out.append(f'<text x="{left + MARGIN}" y="{HEIGHT + 14 * i}" fill="{colour}">{case}</text>')
    return "\n".join(out)


def draw(curves):
    """SVG of {panel: {case: [(x, value, value of the dashed line, unit)]}}."""
    height = HEIGHT + 14 * max(len(cases) for cases in curves.values()) + 8
    panels = [panel(bench, cases, i * WIDTH) for i, (bench, cases) in enumerate(curves.items())]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(curves)}" height="{height}" '
            f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(panels) + "\n</svg>\n")
