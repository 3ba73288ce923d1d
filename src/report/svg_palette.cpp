#include "report/svg_palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace raddle::report {

namespace {

constexpr const char* kDarkInk = "#10141a";
constexpr const char* kLightInk = "#ffffff";

// Okabe and Ito 2008, in an order that keeps neighbours apart; their yellow is darkened on white.
constexpr std::array<SeriesColour, kSeriesColours> kSeries{{
    {"#0072b2", kLightInk, "#3f96dc", kDarkInk},
    {"#e69f00", kDarkInk, "#f0b23a", kDarkInk},
    {"#009e73", kDarkInk, "#2fbf95", kDarkInk},
    {"#cc79a7", kDarkInk, "#d993bb", kDarkInk},
    {"#56b4e9", kDarkInk, "#9ad4f7", kDarkInk},
    {"#d55e00", kDarkInk, "#ec7a2b", kDarkInk},
    {"#8a8f98", kDarkInk, "#8f97a3", kDarkInk},
    {"#b5a300", kDarkInk, "#f0e442", kDarkInk},
}};

struct Rgb {
  double red, green, blue;
};

// viridis at eighths.
constexpr std::array<Rgb, 9> kViridis{{{68, 1, 84},
                                       {71, 45, 123},
                                       {59, 82, 139},
                                       {44, 114, 142},
                                       {33, 145, 140},
                                       {40, 174, 128},
                                       {94, 201, 98},
                                       {173, 220, 48},
                                       {253, 231, 37}}};

}  // namespace

const SeriesColour& series_colour(std::size_t series) { return kSeries[series % kSeriesColours]; }

std::string heat_colour(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (kViridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
  const double part = place - static_cast<double>(below);
  const Rgb& a = kViridis[below];
  const Rgb& b = kViridis[below + 1];
  const auto mixed = [part](double from, double to) {
    return static_cast<int>(std::lround(from + (to - from) * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(a.red, b.red), mixed(a.green, b.green),
                     mixed(a.blue, b.blue));
}

const char* heat_ink(double share) { return share < 0.5 ? kLightInk : kDarkInk; }

std::string svg_style_sheet() {
  std::string light = ".raddle-chart{color:#1f2328}.raddle-chart .paper{fill:#fff}";
  std::string dark = ".raddle-chart{color:#e3e7ec}.raddle-chart .paper{fill:#11151b}";
  for (std::size_t i = 0; i < kSeriesColours; ++i) {
    constexpr const char* kRule =
        ".raddle-chart .s{0}{{color:{1}}}.raddle-chart .s{0} .on{{fill:{2}}}";
    light += fmt::format(kRule, i, kSeries[i].light, kSeries[i].light_ink);
    dark += fmt::format(kRule, i, kSeries[i].dark, kSeries[i].dark_ink);
  }
  return fmt::format("{}\n@media screen and (prefers-color-scheme:dark){{{}}}\n", light, dark);
}

}  // namespace raddle::report
