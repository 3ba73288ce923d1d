#include "report/text/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/demangle.h"
#include "base/number_format.h"
#include "report/figure_text.h"
#include "report/text/text_wrap.h"

namespace raddle::report {

namespace {

constexpr std::chrono::milliseconds kFirstAfter{500};
constexpr std::chrono::milliseconds kBetween{200};
constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

std::string progress_text(std::string_view kernel, const machine::LaunchProgress& progress,
                          double seconds) {
  std::string text = fmt::format("{}: {} cycles", kernel, si_scaled(progress.cycles.as_double()));
  const double share = progress.blocks == 0 ? 0
                                            : static_cast<double>(progress.blocks_done) /
                                                  static_cast<double>(progress.blocks);
  if (progress.blocks != 0)
    text += fmt::format(", {:.0f}% of {} blocks", 100 * share, with_thousands(progress.blocks));
  if (seconds > 0)
    text += fmt::format(", {} cycles/s", si_scaled(progress.cycles.as_double() / seconds));
  if (share > 0) text += fmt::format(", {} left", rough_duration(seconds * (1 - share) / share));
  return text;
}

void ProgressLine::start(std::string kernel, Clock::time_point now) {
  kernel_ = std::move(kernel);
  start_ = now;
  next_ = now + kFirstAfter;
}

void ProgressLine::update(const machine::LaunchProgress& progress, Clock::time_point now) {
  if (!writer_ || now < next_) return;
  next_ = now + kBetween;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(function_name(demangled(kernel_)), progress, seconds);
  writer_(fmt::format("{}{}", kEraseLine, text.substr(0, kScreenColumns - 1)));
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  writer_(kEraseLine);
  shown_ = false;
}

ProgressLine progress_line_on_terminal() {
  if (isatty(STDERR_FILENO) != 1) return ProgressLine({});
  return ProgressLine([](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  });
}

}  // namespace raddle::report
