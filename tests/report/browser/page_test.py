#!/usr/bin/python3
"""Opens report pages in headless Chromium and looks at them as a reader would.

usage: page_test.py RADDLE REPORT_SAMPLES

Checks that every chart has marks and lies inside its box, that no text lies over another, that the page is no wider than
the screen (a phone's too), that a click sorts a table, that dark is dark, that nothing is fetched beside the file itself,
and that nothing is on the console.
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

# Runs in the page after its own script and leaves its findings in the document.
PROBE = """
<script>
(function () {
  var found = {charts: [], overlaps: [], outside: [], downloads: 0};
  function boxes(svg) {
    return Array.from(svg.querySelectorAll('text')).map(function (text) {
      return {text: text.textContent, box: text.getBoundingClientRect(), turned: text.hasAttribute('transform')};
    });
  }
  document.querySelectorAll('figure svg').forEach(function (svg) {
    var place = svg.getBoundingClientRect();
    var texts = boxes(svg);
    found.charts.push({title: svg.getAttribute('aria-label'), width: place.width,
                       marks: svg.querySelectorAll('.bar, .point, .cell, .line').length});
    texts.forEach(function (a, i) {
      if (!a.turned && (a.box.left < place.left - 1 || a.box.right > place.right + 1 ||
                        a.box.top < place.top - 1 || a.box.bottom > place.bottom + 1)) found.outside.push(a.text);
      texts.slice(i + 1).forEach(function (b) {
        // Boxes of browsers hold the line, not the letters: a little overlap in height is none.
        var high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        var wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        if (!a.turned && !b.turned && high > 4 && wide > 1) found.overlaps.push(a.text + ' / ' + b.text);
      });
    });
  });
  found.page_width = document.documentElement.scrollWidth;
  found.screen_width = window.innerWidth;
  found.resources = performance.getEntriesByType('resource').map(function (entry) { return entry.name; });
  var table = document.querySelector('#run-1 table.sortable');
  var heading = Array.from(table.tHead.rows[0].cells).findIndex(function (th) { return th.textContent === 'cycles'; });
  function column() { return Array.from(table.tBodies[0].rows).map(function (row) { return row.cells[heading].textContent; }); }
  var button = table.tHead.rows[0].cells[heading].querySelector('button');
  button.click();
  found.falling = column();
  button.click();
  found.rising = column();
  // Saving is a link to a blob: looked at, not followed.
  HTMLAnchorElement.prototype.click = function () { if (this.href.startsWith('blob:')) ++found.downloads; };
  document.querySelectorAll('button.action').forEach(function (each) { each.click(); });
  found.actions = document.querySelectorAll('button.action').length;
  var note = document.createElement('pre');
  note.id = 'probe';
  note.textContent = JSON.stringify(found);
  document.body.append(note);
})();
</script>
</body>
"""

FAILURES = []


def check(condition, what):
    if not condition:
        FAILURES.append(what)
        print("FAILED:", what)


class Browser:
    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "net.json"

    def run(self, page, *options):
        """Standard output and error of one visit."""
        command = [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
            "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.folder / 'profile'}",
            f"--log-net-log={self.log}", "--enable-logging=stderr", *options, page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=90, check=True)
        except FileNotFoundError:
            sys.exit("chromium is not installed: scripts/bootstrap installs it")
        return done.stdout.decode(), done.stderr.decode()

    def fetched(self):
        """Addresses that the page of the last visit asked the network for. The browser's own requests (for updates, the time
        …), which the resolver rule keeps from going anywhere, have no page behind them."""
        log = json.loads(self.log.read_text())
        started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        requests = [event["params"] for event in log["events"]
                    if event["type"] == started and "url" in event.get("params", {})]
        return [request["url"] for request in requests if request.get("initiator") != "not an origin"]


def console_lines(error_output):
    return [line for line in error_output.splitlines() if ":CONSOLE" in line]


def pixel_brightness(png):
    """Mean brightness, 0 to 255, and number of distinct colours of a PNG of 8-bit RGB or RGBA."""
    data = png.read_bytes()
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    channels = {2: 3, 6: 4}[data[25]]
    packed, place = b"", 8
    while place < len(data):
        length = int.from_bytes(data[place:place + 4], "big")
        if data[place + 4:place + 8] == b"IDAT":
            packed += data[place + 8:place + 8 + length]
        place += length + 12
    raw, stride = zlib.decompress(packed), width * channels
    previous, total, colours = bytearray(stride), 0, set()
    for row in range(height):
        start = row * (stride + 1)
        filter_type, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up = previous[i]
            corner = previous[i - channels] if i >= channels else 0
            if filter_type == 1:
                line[i] = (line[i] + left) & 255
            elif filter_type == 2:
                line[i] = (line[i] + up) & 255
            elif filter_type == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif filter_type == 4:
                guess = left + up - corner
                best = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                line[i] = (line[i] + best[2]) & 255
        for i in range(0, stride, channels * 4):
            colours.add(bytes(line[i:i + 3]))
            total += line[i] + line[i + 1] + line[i + 2]
        previous = line
    return total / (3 * height * -(-stride // (channels * 4))), len(colours)


def look_at_requests(browser, folder):
    """The means by which requests are found do find one."""
    page = folder / "request.html"
    page.write_text('<!doctype html><img src="http://example.invalid/picture.png">')
    browser.run(page, "--dump-dom")
    check(browser.fetched() == ["http://example.invalid/picture.png"], f"a request is noticed: {browser.fetched()}")


def look_at(browser, page, size, charts):
    probe_page = page.with_suffix(".probe.html")
    probe_page.write_text(page.read_text().replace("</body>", PROBE))
    output, errors = browser.run(probe_page, f"--window-size={size}", "--dump-dom")
    where = f"{page.name} at {size}"
    note = re.search(r'<pre id="probe">(.*?)</pre>', output, re.S)
    check(note, f"{where}: the page's script ran to its end")
    if not note:
        print(errors)
        return
    found = json.loads(html.unescape(note[1]))
    check(len(found["charts"]) == charts, f"{where}: {charts} charts, not {len(found['charts'])}")
    for chart in found["charts"]:
        check(chart["marks"] >= 2, f"{where}: '{chart['title']}' has {chart['marks']} marks")
        check(chart["width"] > 200, f"{where}: '{chart['title']}' is {chart['width']} pixels wide")
    check(not found["overlaps"], f"{where}: texts over each other: {found['overlaps']}")
    check(not found["outside"], f"{where}: texts outside of their chart: {found['outside']}")
    check(found["page_width"] <= found["screen_width"],
          f"{where}: the page is {found['page_width']} wide, the screen {found['screen_width']}")
    check(found["falling"] == ["84,120", "12,000"], f"{where}: sorted by cycles: {found['falling']}")
    check(found["rising"] == ["12,000", "84,120"], f"{where}: sorted the other way: {found['rising']}")
    check(found["actions"] > charts and found["downloads"] == found["actions"],
          f"{where}: {found['downloads']} of {found['actions']} buttons save something")
    check(not console_lines(errors), f"{where}: on the console: {console_lines(errors)}")
    check(not browser.fetched(), f"{where}: fetched {browser.fetched()}")
    check(not found["resources"], f"{where}: loaded {found['resources']}")


def main(raddle, samples):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([samples, folder], check=True)
        results = [folder / f"{machine}.json" for machine in ("fermi", "dmt-cgra", "ref")]
        one, several = folder / "one.html", folder / "several.html"
        subprocess.run([raddle, "report", results[0], "-o", one], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([raddle, "report", *results, "-o", several], check=True, stdout=subprocess.DEVNULL)
        browser = Browser(folder)
        look_at_requests(browser, folder)
        look_at(browser, one, "500,900", charts=6 + 3)
        look_at(browser, several, "1300,1000", charts=7 + 2 * (6 + 3) + 2)
        brightness = {}
        for scheme, setting in (("light", 1), ("dark", 0)):
            picture = folder / f"{scheme}.png"
            browser.run(one, "--window-size=700,500", f"--blink-settings=preferredColorScheme={setting}",
                        f"--screenshot={picture}")
            brightness[scheme], colours = pixel_brightness(picture)
            check(colours > 20, f"the {scheme} page is not empty: {colours} colours")
        check(brightness["light"] > 200 and brightness["dark"] < 70, f"light is light and dark is dark: {brightness}")
    print("failed" if FAILURES else "the pages are as they should be")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
