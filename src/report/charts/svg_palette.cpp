#include "report/charts/svg_palette.h"

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

std::string shaded(const std::string& colour, double amount) {
  const unsigned long rgb = std::stoul(colour.substr(1), nullptr, 16);
  const double target = amount > 0 ? 255 : 0;
  const auto mixed = [&](int shift) {
    const auto value = static_cast<double>(rgb >> shift & 0xff);
    return static_cast<int>(std::lround(value + (target - value) * std::abs(amount)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(16), mixed(8), mixed(0));
}

std::string many_colour(std::size_t index) {
  // Hues by the golden angle, at a saturation of 62% and a lightness of 44%.
  const double hue = std::fmod(210 + static_cast<double>(index) * 137.508, 360) / 60;
  constexpr double kLightness = 0.44;
  constexpr double kChroma = 0.62 * 2 * kLightness;
  const auto channel = [&](double offset) {
    const double place = std::fmod(hue + offset, 6);
    const double share = std::clamp(std::abs(place - 3) - 1, 0.0, 1.0);
    return static_cast<int>(std::lround(255 * (kLightness - kChroma / 2 + kChroma * share)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(4), channel(2));
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
  light += ".raddle-chart .net:hover .route{stroke-width:3.6}";
  return fmt::format("{}\n@media screen and (prefers-color-scheme:dark){{{}}}\n", light, dark);
}

}  // namespace raddle::report
