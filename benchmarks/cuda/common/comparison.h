// What a benchmark program computed against what its host computed in another way: the largest
// error, how many values lie outside of what rounding explains, and the line that says so.
#ifndef RADDLE_BENCHMARKS_CUDA_COMMON_COMPARISON_H
#define RADDLE_BENCHMARKS_CUDA_COMMON_COMPARISON_H

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

namespace benchmark {

// One float operation errs by at most this part of its result.
constexpr double kFloatRounding = 0x1p-24;

struct Comparison {
  std::size_t compared = 0;
  std::size_t wrong = 0;
  std::size_t first_wrong = 0;  // its index, and the two values there
  double got = 0, expected = 0;
  double max_error = 0;  // absolute, over all values; infinite if a value is no number
};

// Each value may differ by `absolute` plus `relative` of the expected value. Arrays of different
// lengths differ in every value, no value agrees with a NaN, and an infinity only with itself.
template <typename Got, typename Expected>
Comparison compare(const std::vector<Got>& got, const std::vector<Expected>& expected,
                   double absolute = 0, double relative = 0) {
  Comparison result;
  result.compared = std::max(got.size(), expected.size());
  if (got.size() != expected.size()) {
    result.wrong = result.compared;
    result.max_error = std::numeric_limits<double>::infinity();
    return result;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double have = static_cast<double>(got[i]), want = static_cast<double>(expected[i]);
    const double error = have == want ? 0 : std::fabs(have - want);
    const double bound = std::isfinite(want) ? absolute + relative * std::fabs(want) : 0;
    if (error <= bound) {
      result.max_error = std::max(result.max_error, error);
      continue;
    }
    if (result.wrong++ == 0) {
      result.first_wrong = i;
      result.got = have;
      result.expected = want;
    }
    result.max_error = std::max(
        result.max_error, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  return result;
}

// Several arrays of one program, as one verdict. The first wrong value is that of the first array
// that has one.
inline Comparison operator+(const Comparison& a, const Comparison& b) {
  Comparison both = a.wrong != 0 ? a : b;
  both.compared = a.compared + b.compared;
  both.wrong = a.wrong + b.wrong;
  both.max_error = std::max(a.max_error, b.max_error);
  return both;
}

// The program's one line, `WHAT: max error …, 0 of N wrong`, and its exit status: 0, or 1 if any
// value is wrong.
inline int report(const char* what, const Comparison& comparison) {
  std::printf("%s: max error %.3g, %zu of %zu wrong\n", what, comparison.max_error,
              comparison.wrong, comparison.compared);
  if (comparison.wrong == 0) return 0;
  std::fprintf(stderr, "first wrong value, number %zu: %.9g, expected %.9g\n",
               comparison.first_wrong, comparison.got, comparison.expected);
  return 1;
}

// The same with WHAT as for printf: report(result, "scan: %d elements", n).
__attribute__((format(printf, 2, 3))) inline int report(const Comparison& comparison,
                                                        const char* format, ...) {
  char what[200];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(what, sizeof what, format, values);
  va_end(values);
  return report(what, comparison);
}

}  // namespace benchmark

#endif
