#include "cli/sweep_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/console.h"
#include "base/number_format.h"
#include "report/text/text_wrap.h"

namespace raddle::cli {

namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

void TimeEstimate::ended(const std::string& program, double seconds) {
  Program& entry = programs_[program];
  if (entry.waiting != 0) --entry.waiting;
  ++entry.ended;
  entry.seconds += seconds;
}

std::optional<double> TimeEstimate::seconds_left(unsigned jobs, double running_seconds) const {
  std::size_t ended = 0;
  double seconds = 0;
  for (const auto& [name, program] : programs_) {
    ended += program.ended;
    seconds += program.seconds;
  }
  if (ended == 0) return std::nullopt;
  double left = -running_seconds;
  for (const auto& [name, program] : programs_) {
    const double each = program.ended != 0 ? program.seconds / static_cast<double>(program.ended)
                                           : seconds / static_cast<double>(ended);
    left += each * static_cast<double>(program.waiting);
  }
  return std::max(left, 0.0) / jobs;
}

SweepProgress::SweepProgress(unsigned jobs, bool terminal) : jobs_(jobs), terminal_(terminal) {}

void SweepProgress::preparing(const std::string& program) {
  if (terminal_) rewrite("compiling " + program);
}

void SweepProgress::begin(std::size_t runs, std::size_t reused) {
  runs_ = runs;
  done_ = reused;
  clear();
  if (reused != 0) print_error(fmt::format("{} of {} runs are already done\n", reused, runs));
}

void SweepProgress::started(const std::string& name) { newest_ = name; }

void SweepProgress::ended(const std::string& name, const std::string& program, double seconds,
                          bool good, std::string_view text) {
  ++done_;
  if (!good) ++failed_;
  estimate_.ended(program, seconds);
  if (terminal_ && good) return;
  clear();
  const std::string total = std::to_string(runs_);
  print_error(fmt::format("[{:>{}}/{}] {}: {}{}, {:.1f} s\n", done_, total.size(), total, name,
                          good ? "" : "FAILED: ", text, seconds));
}

void SweepProgress::show(std::size_t running, double running_seconds) {
  if (!terminal_) return;
  std::string text = fmt::format("{} of {} runs, {} running", done_, runs_, running);
  if (failed_ != 0) text += fmt::format(", {} failed", failed_);
  if (const std::optional<double> left = estimate_.seconds_left(jobs_, running_seconds))
    text += fmt::format(", {} left", rough_duration(*left));
  text += fmt::format(": {}", newest_);
  rewrite(text);
}

void SweepProgress::rewrite(std::string_view text) {
  print_error(fmt::format("{}{}", kEraseLine, text.substr(0, report::kScreenColumns - 1)));
  shown_ = true;
}

void SweepProgress::clear() {
  if (!shown_) return;
  print_error(kEraseLine);
  shown_ = false;
}

}  // namespace raddle::cli
