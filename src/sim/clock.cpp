#include "sim/clock.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace raddle::sim {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;
constexpr double kMaxHertz = 1e15;
constexpr std::uint64_t kMinNarrowHertz = 1'000'000;  // 2^31 cycles then last less than 2^63 fs

}  // namespace

Clock::Clock(std::string name, Hertz frequency) : name_(std::move(name)), hertz_(0) {
  const double hertz = std::round(frequency.count());
  if (!(hertz >= 1 && hertz <= kMaxHertz)) {
    throw Error(fmt::format("the clock {} has a frequency of {} Hz", name_, frequency.count()), {},
                "give it between 1 Hz and 1e15 Hz");
  }
  hertz_ = static_cast<std::uint64_t>(hertz);
  whole_ = kFemtosecondsPerSecond / hertz_;
  rest_ = kFemtosecondsPerSecond % hertz_;
  hertz_inverse_ = 1 / hertz;
  rate_ = hertz / static_cast<double>(kFemtosecondsPerSecond);
  narrow_ = hertz_ >= kMinNarrowHertz && hertz_ >> 32 == 0;
}

Instant Clock::wide_time_of(Cycle cycle) const {
  if (cycle == kNever) return kEndOfTime;
  const Wide time = Wide{cycle.count()} * kFemtosecondsPerSecond / hertz_;
  return time >= kEndOfTime.count() ? kEndOfTime : Instant(static_cast<std::uint64_t>(time));
}

Cycle Clock::wide_first_from(Instant instant) const {
  if (instant == kEndOfTime) return kNever;
  // The least n with floor(n · 10^15 / f) ≥ t is the least n with n · 10^15 ≥ t · f.
  const Wide product = Wide{instant.count()} * hertz_;
  return Cycle(
      static_cast<std::uint64_t>((product + kFemtosecondsPerSecond - 1) / kFemtosecondsPerSecond));
}

Cycle cross(const Clock& from, Cycle at, const Clock& to) {
  return &from == &to ? at : to.first_from(from.time_of(at));
}

}  // namespace raddle::sim
