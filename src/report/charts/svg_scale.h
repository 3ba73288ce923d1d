// Axes as numbers: which values an axis spans, where a value lies on it in pixels, which ticks it
// has (1, 2 and 5 times powers of ten) and how they are written. Nothing is drawn here.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace raddle::report {

// How the values of an axis are written.
enum class Numbers {
  kCount,  // 20 k, 1.5 M
  kSi,     // a quantity with a unit, whose prefix goes into the axis title: time (µs)
  kBytes,  // binary prefixes: KiB, MiB
  kShare,  // 0 to 1, written as percent
  kPlain,  // as it is
};

struct ChartAxis {
  std::string title;
  std::string unit = {};
  Numbers numbers = Numbers::kCount;
  bool logarithmic = false;
};

// One value as text, for labels and tooltips: "12.3 µs", "48 KiB", "62.0%".
std::string value_text(const ChartAxis& axis, double value);

// Whether an axis has a place for the value: finite, and above zero if logarithmic.
bool can_show(const ChartAxis& axis, double value);

// What the data spans.
struct Interval {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool is_whole = true;  // no value has a fraction

  bool empty() const { return low > high; }
  void add(const ChartAxis& axis, double value);  // unless the axis cannot show it
};

struct Tick {
  double value = 0;
  std::string label;
};

class Scale {
 public:
  enum class Direction { kHorizontal, kVertical };
  struct Options {
    bool from_zero = false;  // the axis holds zero, as bars must
    bool exact = false;      // ends where the data ends, not at the next tick
    Direction direction = Direction::kVertical;
  };

  // `length` in pixels decides how many ticks have room. Empty data gives an axis from 0 to 1.
  Scale(ChartAxis axis, Interval data, double length, const Options& options);

  // Where the least and the greatest value lie; until then 0 and `length`.
  void place(double from, double to);
  // Pixels; what lies outside is drawn at the end.
  double at(double value) const;
  // Where bars begin: zero, or the lower end.
  double base() const;

  const ChartAxis& axis() const { return axis_; }
  const Interval& domain() const { return domain_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  // Unlabelled ticks between those of a logarithmic axis.
  const std::vector<double>& minor_ticks() const { return minor_ticks_; }
  // "simulated time (µs)"
  std::string heading() const;
  double widest_label(double size) const;

 private:
  void choose_linear(Interval data, double length, const Options& options);
  void choose_logarithmic(Interval data, double length, const Options& options);

  ChartAxis axis_;
  Interval domain_{0, 1};
  std::string shown_unit_;
  std::vector<Tick> ticks_;
  std::vector<double> minor_ticks_;
  double from_ = 0, to_ = 1;
};

inline constexpr double kTickSize = 11;  // of type

}  // namespace raddle::report
