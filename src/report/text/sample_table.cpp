#include "report/text/sample_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/demangle.h"
#include "base/number_format.h"
#include "base/text_table.h"
#include "report/figure_text.h"

namespace raddle::report {

namespace {

constexpr std::size_t kBars = 32;
constexpr std::array kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// Each bar is the mean of its part of the time; the highest is the largest of them.
std::string bars_of(const std::vector<double>& values) {
  const std::size_t count = std::min(kBars, values.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / count);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>((i + 1) * values.size() / count);
    means.push_back(std::accumulate(first, last, 0.0) / static_cast<double>(last - first));
  }
  const double most = means.empty() ? 0 : *std::max_element(means.begin(), means.end());
  std::string text;
  for (const double mean : means) {
    const double height = std::clamp(quotient(mean, most), 0.0, 1.0);
    text += kHeights[static_cast<std::size_t>(height * (kHeights.size() - 1) + 0.5)];
  }
  return text;
}

}  // namespace

std::string sample_tables(const experiment::RunResult& result) {
  std::string text;
  for (const machine::LaunchResult& launch : result.launches) {
    if (launch.samples.empty()) continue;
    TextTable table({"series", "unit", "least", "mean", "most", "over time"});
    table.align(1, TextTable::Align::kLeft);
    table.align(5, TextTable::Align::kLeft);
    for (const machine::SampleSeries& series : launch.samples) {
      const std::vector<double>& values = series.values;
      if (values.empty()) continue;
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      table.add_row({series.name, series.unit, fmt::format("{:.4g}", *least),
                     fmt::format("{:.4g}", sum / static_cast<double>(values.size())),
                     fmt::format("{:.4g}", *most), bars_of(values)});
    }
    text += fmt::format("\n{}: {} samples, one every {} cycles\n{}", function_name(launch.kernel),
                        with_thousands(launch.samples.front().values.size()),
                        with_thousands(launch.sample_cycles), table.to_string());
  }
  return text;
}

}  // namespace raddle::report
