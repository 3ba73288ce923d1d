#include "report/charts/svg_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/number_format.h"
#include "report/charts/svg_text.h"

namespace raddle::report {

namespace {

constexpr double kLargest = 1e300;      // so that differences do not overflow
constexpr double kMinSpan = 1e-9;       // of the larger end: below that, all values are one
constexpr double kTickGap = 12;         // pixels between labels side by side
constexpr double kLineHeight = 1.7;     // of the type size, between labels one above the other
constexpr double kTickDistance = 64;    // pixels, wished for side by side
constexpr double kTickDistanceUp = 32;  // and one above the other
constexpr double kSuffixFrom = 1e4;     // counts from here on are written with k, M …
constexpr std::size_t kMaxTicks = 64;
constexpr double kRounding = 1e-9;

struct Prefix {
  double factor = 1;
  std::string text;
};

bool has_si_prefix(double value) { return value >= 1e-12 && value < 1e21; }

Prefix si_prefix(double largest) {
  constexpr std::array<const char*, 11> kNames{"p", "n", "µ", "m", "", "k",
                                               "M", "G", "T", "P", "E"};
  if (!has_si_prefix(largest)) return {};
  constexpr int kNone = 4;  // where the empty one stands
  const int steps = std::clamp(static_cast<int>(std::floor(std::log10(largest) / 3 + kRounding)),
                               -kNone, static_cast<int>(kNames.size()) - 1 - kNone);
  const int index = kNone + steps;
  return {std::pow(10.0, 3 * steps), kNames[static_cast<std::size_t>(index)]};
}

Prefix binary_prefix(double largest) {
  constexpr std::array<const char*, 7> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t index = 0;
  double factor = 1;
  while (largest / factor >= 1024 && index + 1 < kNames.size()) {
    factor *= 1024;
    ++index;
  }
  return {factor, kNames[index]};
}

// By what the values are divided before they are written, and with which unit.
Prefix prefix_for(const ChartAxis& axis, double largest) {
  switch (axis.numbers) {
    case Numbers::kCount: return largest < kSuffixFrom ? Prefix{} : si_prefix(largest);
    case Numbers::kSi: return si_prefix(largest);
    case Numbers::kBytes: return binary_prefix(largest);
    case Numbers::kShare: return {0.01, "%"};
    case Numbers::kPlain: return {};
  }
  return {};
}

// The next of 1, 2, 5 times a power of ten, up or down.
double next_125(double value, bool up) {
  const double magnitude = std::pow(10.0, std::floor(std::log10(value) + kRounding));
  const double digit = value / magnitude;
  if (up) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (digit <= step * (1 + kRounding)) return step * magnitude;
    }
    return 10 * magnitude;
  }
  for (const double step : {5.0, 2.0}) {
    if (digit >= step * (1 - kRounding)) return step * magnitude;
  }
  return magnitude;
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
}

bool wants_exponent(double value) {
  const double magnitude = std::fabs(value);
  return magnitude != 0 && (magnitude >= 1e15 || magnitude < 1e-6);
}

std::string exponent_text(double value) {
  std::string text = fmt::format("{:.3g}", value);
  // 1e+22 → 1e22
  const std::size_t plus = text.find("e+");
  if (plus != std::string::npos) text.erase(plus + 1, 1);
  return text;
}

// 0.2 instructions a byte, not 200 m.
bool is_plain_fraction(double value) { return value < 1 && value >= 1e-4; }

// A round value on a logarithmic axis: "1", "200", "5 k", "10 µ".
std::string short_text(const ChartAxis& axis, double value) {
  if (axis.numbers == Numbers::kShare) return fmt::format("{:g}%", value * 100);
  if (!has_si_prefix(value) || axis.numbers == Numbers::kPlain) return exponent_text(value);
  const bool is_plain = axis.numbers == Numbers::kCount && is_plain_fraction(value);
  const Prefix prefix = is_plain ? Prefix{} : si_prefix(value);
  return fmt::format("{:g}{}{}", value / prefix.factor, prefix.text.empty() ? "" : " ",
                     prefix.text);
}

bool labels_fit(const std::vector<Tick>& ticks, const Interval& domain, bool logarithmic,
                double length, Scale::Direction direction) {
  const auto place = [&](double value) {
    const double low = logarithmic ? std::log10(domain.low) : domain.low;
    const double high = logarithmic ? std::log10(domain.high) : domain.high;
    return ((logarithmic ? std::log10(value) : value) - low) / (high - low) * length;
  };
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double distance = place(ticks[i].value) - place(ticks[i - 1].value);
    const double needed =
        direction == Scale::Direction::kVertical
            ? kLineHeight * kTickSize
            : (text_width(ticks[i - 1].label, kTickSize) + text_width(ticks[i].label, kTickSize)) /
                      2 +
                  kTickGap;
    if (distance < needed) return false;
  }
  return true;
}

// The ends alone, or the upper end alone, where not even the sparsest ticks have room.
void thin_out(std::vector<Tick>& ticks, const Interval& domain, bool logarithmic, double length,
              Scale::Direction direction) {
  if (ticks.size() < 2 || labels_fit(ticks, domain, logarithmic, length, direction)) return;
  ticks.erase(ticks.begin() + 1, ticks.end() - 1);
  if (!labels_fit(ticks, domain, logarithmic, length, direction)) ticks.erase(ticks.begin());
}

// Room around data that is one single value.
Interval widened(Interval data, bool from_zero) {
  if (data.empty()) return {0, 1};
  if (from_zero) {
    data.low = std::min(data.low, 0.0);
    data.high = std::max(data.high, 0.0);
  }
  const double largest = std::max(std::fabs(data.low), std::fabs(data.high));
  if (data.high - data.low > kMinSpan * largest && data.high - data.low > 1 / kLargest) return data;
  if (largest < 1 / kLargest) return {0, 1};
  return {data.low - largest / 2, data.high + largest / 2, data.is_whole};
}

}  // namespace

std::string value_text(const ChartAxis& axis, double value) {
  if (!std::isfinite(value)) return "–";
  const double magnitude = std::fabs(value);
  if (axis.numbers == Numbers::kShare) {
    constexpr double kWritten = 1e6;
    return (magnitude < kWritten ? fixed(value * 100, 1) : exponent_text(value * 100)) + "%";
  }
  if (axis.numbers == Numbers::kPlain) {
    if (wants_exponent(value)) return exponent_text(value);
    if (value == std::floor(value)) return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, magnitude < 1 ? 3 : magnitude < 10 ? 2 : 1);
  }
  const std::string& unit = axis.unit;
  if (magnitude != 0 && !has_si_prefix(magnitude))
    return exponent_text(value) + (unit.empty() ? "" : " " + unit);
  constexpr double kMaxBytes = 1e18;  // what 64 bits hold
  if (axis.numbers == Numbers::kBytes && magnitude >= kMaxBytes) return exponent_text(value) + " B";
  if (axis.numbers == Numbers::kBytes)
    return (value < 0 ? "-" : "") + byte_size(static_cast<std::uint64_t>(magnitude));
  if (axis.numbers == Numbers::kSi)
    return value == 0 ? fmt::format("0 {}", unit) : si_scaled(value, unit);
  const bool is_small_count = value == std::floor(value) && magnitude < kSuffixFrom;
  if (is_small_count) return fmt::format("{:.0f}", value);
  return is_plain_fraction(magnitude) ? fmt::format("{:.3g}", value) : si_scaled(value);
}

bool can_show(const ChartAxis& axis, double value) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

void Interval::add(const ChartAxis& axis, double value) {
  if (!can_show(axis, value)) return;
  is_whole = is_whole && value == std::floor(value);
  low = std::min(low, std::clamp(value, -kLargest, kLargest));
  high = std::max(high, std::clamp(value, -kLargest, kLargest));
}

Scale::Scale(ChartAxis axis, Interval data, double length, const Options& options)
    : axis_(std::move(axis)), to_(length) {
  if (axis_.logarithmic) {
    choose_logarithmic(data, length, options);
  } else {
    choose_linear(data, length, options);
  }
}

void Scale::choose_linear(Interval data, double length, const Options& options) {
  data = widened(data, options.from_zero);
  const bool vertical = options.direction == Direction::kVertical;
  const auto wished =
      static_cast<int>(std::max(1.0, length / (vertical ? kTickDistanceUp : kTickDistance)));
  for (int target = wished; target >= 1; --target) {
    const Prefix prefix = prefix_for(axis_, std::max(std::fabs(data.low), std::fabs(data.high)));
    double step = next_125((data.high - data.low) / prefix.factor / target, true);
    // There is no half of a launch.
    const bool counts_things = axis_.numbers == Numbers::kCount && data.is_whole && data.high >= 1;
    if (counts_things) step = std::max(step, 1 / prefix.factor);
    const double low = std::floor(data.low / prefix.factor / step + kRounding);
    const double high = std::ceil(data.high / prefix.factor / step - kRounding);
    domain_ =
        options.exact ? data : Interval{low * step * prefix.factor, high * step * prefix.factor};
    const int decimals =
        std::clamp(static_cast<int>(-std::floor(std::log10(step) + kRounding)), 0, 9);
    const std::string suffix = axis_.numbers == Numbers::kCount && !prefix.text.empty()
                                   ? " " + prefix.text
                               : axis_.numbers == Numbers::kShare ? "%"
                                                                  : "";
    ticks_.clear();
    for (double i = low; i <= high && ticks_.size() < kMaxTicks; ++i) {
      const double shown = i * step;
      const double value = shown * prefix.factor;
      const double slack = (domain_.high - domain_.low) * kRounding;
      if (value < domain_.low - slack || value > domain_.high + slack) continue;
      std::string label = wants_exponent(shown) || wants_exponent(step) ? exponent_text(shown)
                                                                        : fixed(shown, decimals);
      ticks_.push_back({value, label == "0" || suffix.empty() ? label : label + suffix});
    }
    const bool unit_has_prefix = axis_.numbers == Numbers::kSi || axis_.numbers == Numbers::kBytes;
    shown_unit_ = axis_.numbers == Numbers::kBytes ? prefix.text
                  : unit_has_prefix                ? prefix.text + axis_.unit
                                                   : axis_.unit;
    if (labels_fit(ticks_, domain_, false, length, options.direction)) return;
  }
  thin_out(ticks_, domain_, false, length, options.direction);
}

void Scale::choose_logarithmic(Interval data, double length, const Options& options) {
  if (data.empty() || data.high <= 0) data = {1, 10};
  data.low = std::max(data.low, 1 / kLargest);
  shown_unit_ = axis_.numbers == Numbers::kBytes && axis_.unit.empty() ? "B" : axis_.unit;
  const bool is_one_value = data.high / data.low < 1 + kMinSpan;
  if (is_one_value) data = {data.low / 1.5, data.high * 1.5};
  domain_ = options.exact ? data : Interval{next_125(data.low, false), next_125(data.high, true)};

  const auto first = static_cast<int>(std::floor(std::log10(domain_.low) + kRounding));
  const auto last = static_cast<int>(std::ceil(std::log10(domain_.high) - kRounding));
  const auto inside = [&](double value) {
    return value >= domain_.low * (1 - kRounding) && value <= domain_.high * (1 + kRounding);
  };
  // From the densest ticks to the sparsest: 1-2-5, every power of ten, every second, fifth …
  for (const int every : {0, 1, 2, 3, 5, 10, 20, 50, 100, 200}) {
    ticks_.clear();
    for (int exponent = first; exponent <= last; ++exponent) {
      const bool is_labelled = every == 0 || exponent % every == 0;
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (!is_labelled || (every != 0 && digit != 1)) continue;
        const double value = digit * std::pow(10.0, exponent);
        if (inside(value) && ticks_.size() < kMaxTicks)
          ticks_.push_back({value, short_text(axis_, value)});
      }
    }
    if (labels_fit(ticks_, domain_, true, length, options.direction)) break;
  }
  thin_out(ticks_, domain_, true, length, options.direction);
  constexpr int kMinorDecades = 6;
  if (last - first > kMinorDecades) return;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (inside(value)) minor_ticks_.push_back(value);
    }
  }
}

void Scale::place(double from, double to) {
  from_ = from;
  to_ = to;
}

double Scale::at(double value) const {
  const double inside = std::clamp(value, domain_.low, domain_.high);
  const auto position = [this](double number) {
    return axis_.logarithmic ? std::log10(number) : number;
  };
  const double share =
      (position(inside) - position(domain_.low)) / (position(domain_.high) - position(domain_.low));
  return from_ + share * (to_ - from_);
}

double Scale::base() const {
  return axis_.logarithmic ? domain_.low : std::clamp(0.0, domain_.low, domain_.high);
}

std::string Scale::heading() const {
  if (shown_unit_.empty() || shown_unit_ == axis_.title) return axis_.title;
  return axis_.title.empty() ? shown_unit_ : fmt::format("{} ({})", axis_.title, shown_unit_);
}

double Scale::widest_label(double size) const {
  double widest = 0;
  for (const Tick& tick : ticks_) widest = std::max(widest, text_width(tick.label, size));
  return widest;
}

}  // namespace raddle::report
