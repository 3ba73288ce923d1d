#!/usr/bin/env python3
"""Reads a Perfetto trace with a decoder of its own and checks what a viewer relies on: every event is on a track that was
described before, slices are balanced and lie within those around them, time does not run backwards on a track, names are
known. Prints what it found: check_trace.py FILE [NAME-OF-A-TRACK-THAT-MUST-BE-THERE…]"""
import collections
import sys

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(number, value) in the order of their coming; texts and messages are bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("a field is cut off")
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


class Trace:
    def __init__(self):
        self.tracks = {}  # id: (name, parent, is a counter)
        self.names = {}  # (sequence, number): text
        self.begun = set()  # sequences
        self.time = {}  # by track: of its last event
        self.open = collections.defaultdict(list)  # by track: names
        self.slices = collections.Counter()
        self.deepest = 0

    def add(self, packet):
        one = dict(fields(packet))
        sequence, flags = one[10], one[13]
        if sequence not in self.begun:
            assert flags & 1, f"sequence {sequence} does not begin with its state cleared"
            self.begun.add(sequence)
        for _, entry in fields(one.get(12, b"")):
            text = dict(fields(entry))
            self.names[sequence, text[1]] = text[2].decode()
        if 60 in one:
            track = dict(fields(one[60]))
            assert track[1] not in self.tracks, f"track {track[1]} is described twice"
            assert track.get(5, 0) == 0 or track[5] in self.tracks, "the parent of a track is not known"
            self.tracks[track[1]] = (track[2].decode(), track.get(5, 0), 8 in track)
        if 11 in one:
            self.event(sequence, one[8], dict(fields(one[11])))

    def event(self, sequence, time, event):
        track, kind = event[11], event[9]
        assert track in self.tracks, f"an event on track {track}, which is not known"
        name = self.tracks[track][0]
        assert time >= self.time.get(track, 0), f"time runs backwards on {name}: {self.time[track]} to {time}"
        self.time[track] = time
        assert self.tracks[track][2] == (kind == COUNTER), f"{name}: counters and slices are mixed"
        if kind == BEGIN:
            text = event[23].decode() if 23 in event else self.names[sequence, event[10]]
            self.open[track].append(text)
            self.deepest = max(self.deepest, len(self.open[track]))
            self.slices[text] += 1
        elif kind == END:
            assert self.open[track], f"{name}: the end of a slice that has not begun"
            self.open[track].pop()

    def finish(self):
        for track, names in self.open.items():
            assert not names, f"{self.tracks[track][0]}: {names} do not end"


def main():
    trace = Trace()
    with open(sys.argv[1], "rb") as file:
        for number, packet in fields(file.read()):
            assert number == 1, "not a trace packet"
            trace.add(packet)
    trace.finish()
    names = {name for name, _, _ in trace.tracks.values()}
    for wanted in sys.argv[2:]:
        assert wanted in names, f"there is no track '{wanted}'"
    print(f"{len(trace.tracks)} tracks, {sum(trace.slices.values())} slices, nested {trace.deepest} deep")
    for name, count in trace.slices.most_common(20):
        print(f"{count:8} {name}")


try:
    main()
except (AssertionError, KeyError, IndexError, ValueError) as fault:
    sys.exit(f"{sys.argv[1]}: {type(fault).__name__}: {fault}")
