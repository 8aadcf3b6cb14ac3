"""A picture of ratios: a bar a row, of a range the whole of it, and a line where the aim is."""
import html
import math

from figureslib import rows as figures

LEFT, WIDTH, ROW = 560, 420, 18
COLOURS = {"reached": "#2ca02c", "missed": "#d62728", "missed at times": "#ff7f0e", "": "#1f77b4"}


def draw(title, rows):
    """SVG of the rows that have a ratio; ValueError where none has."""
    drawn = [row for row in rows if row.ratio]
    if not drawn:
        raise ValueError(f"no row of {title} has a ratio")
    ends = [end for row in drawn for end in figures.bounds(row.ratio)] + [1.0]
    x = scale(min(ends), max(ends))
    height = ROW * (len(drawn) + 3)
    lines = [text(8, ROW, title + ": ratio to the peer", "start", "bold"), *axis(x, min(ends), max(ends), height)]
    for place, row in enumerate(drawn):
        lines += bar(row, x, ROW * (place + 2))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" font-family="sans-serif" '
            'font-size="11"><rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")


def scale(low, high):
    """Logarithmic, of positive numbers."""
    first, last = math.log10(low), math.log10(high)
    return lambda value: LEFT + (math.log10(value) - first) / ((last - first) or 1) * WIDTH


def axis(x, low, high, height):
    for value in {low, 1.0, high}:
        yield (f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{ROW * 1.5}" y2="{height - ROW}" stroke="#999" '
               f'stroke-dasharray="{"" if value == 1 else "2 4"}"/>')
        yield text(x(value), height - 4, f"{value:.3g}", "middle")


def bar(row, x, top):
    low, high = figures.bounds(row.ratio)
    where = ", ".join(filter(None, (row.setup, row.threads and f"{row.threads} threads", row.ranks and f"{row.ranks} ranks")))
    begin, end = min(x(low), x(1)), max(x(high), x(1))
    if low != high:  # a range does not begin at 1
        begin, end = x(low), x(high)
    yield text(LEFT - 8, top + 12, shortened(f"{row.case} ({where})" if where else row.case), "end")
    yield (f'<rect x="{begin:.1f}" y="{top + 3}" width="{max(end - begin, 1):.1f}" height="{ROW - 6}" '
           f'fill="{COLOURS[row.verdict()]}"><title>{html.escape(row.peer)}</title></rect>')
    yield text(max(end, begin) + 4, top + 12, row.ratio, "start")
    if row.aim.startswith("ratio"):
        aim = x(float(figures.AIM.match(row.aim)[3]))
        yield f'<line x1="{aim:.1f}" x2="{aim:.1f}" y1="{top + 1}" y2="{top + ROW - 1}" stroke="black" stroke-width="2"/>'


def shortened(label, limit=96):
    return label if len(label) <= limit else label[:limit - 3] + "..."


def text(x, y, words, anchor, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{html.escape(words)}</text>'
