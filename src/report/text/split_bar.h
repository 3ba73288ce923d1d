// A whole and its parts on a terminal: one bar of sixty columns, told apart by colour or by
// shading, and a legend with the shares below it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "machine/launch_result.h"
#include "report/text/text_style.h"

namespace raddle::report {

inline constexpr std::size_t kBarColumns = 60;

struct SplitBar {
  std::string title;                  // to the left of the bar, up to 13 columns
  std::string total;                  // to the right of it: "84.1 k cycles"
  std::vector<machine::Share> parts;  // more than six: the smallest become "others"
};

// Empty where there is nothing to split.
std::string split_bar(const SplitBar& bar, const TextStyle& style);

// How many of `columns` each part gets: their sum is exact, and none differs from its share by a
// whole column.
std::vector<std::size_t> columns_of(const std::vector<machine::Share>& parts, std::size_t columns);

}  // namespace raddle::report
