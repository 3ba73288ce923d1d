// Colours of charts. Series take the palette of Okabe and Ito, which people with any common colour
// vision tell apart, with lighter versions on dark screens; heat maps take viridis, which is even
// in lightness and reads on either background.
#pragma once

#include <cstddef>
#include <string>

namespace raddle::report {

inline constexpr std::size_t kSeriesColours = 8;

struct SeriesColour {
  const char* light;
  const char* light_ink;  // of text on it
  const char* dark;
  const char* dark_ink;
};

const SeriesColour& series_colour(std::size_t series);

// "#rrggbb", lighter (up to 1) or darker (down to -1) than another.
std::string shaded(const std::string& colour, double amount);
// One of any number of colours, neighbours far apart, that read on either background.
std::string many_colour(std::size_t index);

// "#rrggbb" for 0 (least) to 1 (most), and a colour for text on it.
std::string heat_colour(double share);
const char* heat_ink(double share);

// The CSS that turns the colours of every chart over on a dark screen. A chart that is a file of
// its own has it inside; a page with charts in it has it once. Printing is always light.
std::string svg_style_sheet();

}  // namespace raddle::report
