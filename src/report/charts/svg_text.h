// Text for SVG and HTML: escaped so that no name can break the page, measured so that labels do not
// run into each other. Widths are those of the widest common sans-serif faces, so that what fits
// here fits in whatever face the reader's computer has.
#pragma once

#include <string>
#include <string_view>

namespace raddle::report {

// & < > " ' as entities; what XML cannot hold (control characters, broken UTF-8) as U+FFFD.
std::string xml_escaped(std::string_view text);

// Approximate width of a line in a sans-serif face of `size` pixels.
double text_width(std::string_view text, double size);

// The text, cut and ended with "…" where it is wider than `width`; empty where not even that fits.
std::string fitted_text(std::string_view text, double size, double width);

// A length or coordinate: at most two decimals, no trailing zeros, never "-0".
std::string svg_number(double value);

}  // namespace raddle::report
