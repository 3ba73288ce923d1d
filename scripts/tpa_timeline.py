"""Draws what the backends of a thick control flow machine spent their cycles on, from a trace of `raddle run --trace`."""
import collections
import pathlib
import subprocess
import tempfile
import xml.sax.saxutils

# Cause: class of the drawing, and what the legend says.
CAUSES = {
    "issued": ("issued", "a fiber, or an entry of the scratchpad"),
    "synchronisation": ("sync", "synchronisation"),
    "memory reply": ("memory", "waits for memory"),
    "network backpressure": ("network", "waits for the network"),
    "execution dependency": ("dependence", "waits for results in the pipeline"),
    "wave order": ("order", "waves that order backends"),
    "no instruction (frontend)": ("frontend", "waits for the frontend"),
    "drained": ("end", "nothing more comes"),
}
STYLE = """
    .issued { fill: #3b6fc4; } .sync { fill: #111827; } .memory { fill: #d98b2b; } .network { fill: #c4513b; }
    .dependence { fill: #b9a7d6; } .order { fill: #3f9c7a; } .frontend { fill: #c9ced8; } .end { fill: #eef0f4; }
    text { fill: #1c2430; } .small { font-size: 11px; fill: #4a5568; } .axis { stroke: #8a94a6; stroke-width: 1; fill: none; }
    @media (prefers-color-scheme: dark) {
      .issued { fill: #6f9bea; } .sync { fill: #f5f7fa; } .frontend { fill: #4b5565; } .end { fill: #2a303b; }
      text { fill: #e8ecf3; } .small { fill: #b3bccb; }
    }
"""
CYCLE = 1000  # timestamps of a trace; the machine's clock has 1 GHz
LEFT, RIGHT, TOP, ROW = 78, 12, 64, 13


def fields(data):
    """Number and value of each field of a protocol buffer; nested messages stay bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 1:
            yield key >> 3, data[at:at + 8]
            at += 8
        else:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size


def slices(data):
    """Track name, parent's name, slice name, begin and end in cycles, in the order of their ends."""
    names, tracks, parents, begun = {}, {}, {}, {}
    for _, packet in fields(data):
        time, event = 0, None
        for number, value in fields(packet):
            if number == 8:
                time = value
            elif number == 12:
                for _, entry in fields(value):
                    text = dict(fields(entry))
                    names[text[1]] = text[2].decode()
            elif number == 60:
                track = dict(fields(value))
                tracks[track[1]], parents[track[1]] = track[2].decode(), track.get(5)
            elif number == 11:
                event = dict(fields(value))
        if event is None:
            continue
        track = event[11]
        if event[9] == 1:
            begun[track] = (names[event[10]] if 10 in event else event[23].decode(), time)
        elif event[9] == 2:
            name, begin = begun.pop(track)
            yield tracks[track], tracks.get(parents[track]), name, begin // CYCLE, time // CYCLE


def timeline(raddle, root, title, arguments):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        subprocess.run([raddle, "run", *arguments[:1], "--trace", str(trace), "-o", folder, *arguments[1:]], cwd=root, check=True,
                       stdout=subprocess.DEVNULL)
        cycles, works = collections.defaultdict(list), []
        for track, parent, name, begin, end in slices(trace.read_bytes()):
            if track == "cycles":
                cycles[int(parent.split()[1])].append((name, begin, end))
            elif track == "backend 0":
                works.append((name, begin, end))
    return drawn(title, cycles, works)


def drawn(title, cycles, works):
    end = max(stretch[2] for row in cycles.values() for stretch in row)
    width = 760
    scale = (width - LEFT - RIGHT) / end
    used = [cause for cause in CAUSES if any(name == cause for row in cycles.values() for name, _, _ in row)]
    bottom = TOP + ROW * len(cycles)
    height = bottom + 44 + 18 * ((len(used) + 1) // 2)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="13">', f"  <title>{xml.sax.saxutils.escape(title)}</title>",
            f"  <style>{STYLE}  </style>", f'  <text x="{LEFT}" y="18">{xml.sax.saxutils.escape(title)}</text>']
    for i, (name, begin, stop) in enumerate(works):
        x, y = LEFT + begin * scale, 36 + 14 * (i % 2)
        text.append(f'  <path class="axis" d="M{x:.1f} {y - 8} V{TOP - 2}" /><text class="small" x="{x + 3:.1f}" y="{y}">'
                    f"{xml.sax.saxutils.escape(name.split(' ', 1)[-1])}</text>")
    for backend, row in sorted(cycles.items()):
        y = TOP + ROW * backend
        text.append(f'  <text class="small" x="{LEFT - 6}" y="{y + 10}" text-anchor="end">backend {backend}</text>')
        for name, begin, stop in row:
            text.append(f'  <rect class="{CAUSES[name][0]}" x="{LEFT + begin * scale:.2f}" y="{y}" '
                        f'width="{max(0.3, (stop - begin) * scale):.2f}" height="{ROW - 2}" />')
    for tick in range(0, end + 1, 100 if end < 1500 else 500):
        x = LEFT + tick * scale
        text.append(f'  <path class="axis" d="M{x:.1f} {bottom} v4" /><text class="small" x="{x:.1f}" y="{bottom + 16}" '
                    f'text-anchor="middle">{tick}</text>')
    text.append(f'  <text class="small" x="{width - RIGHT}" y="{bottom + 30}" text-anchor="end">cycles</text>')
    for i, cause in enumerate(used):
        x, y = LEFT + (i % 2) * 320, bottom + 44 + 18 * (i // 2)
        text.append(f'  <rect class="{CAUSES[cause][0]}" x="{x}" y="{y - 9}" width="12" height="10" />'
                    f'<text class="small" x="{x + 18}" y="{y}">{CAUSES[cause][1]}</text>')
    return ("\n".join(text) + "\n</svg>\n").encode()
