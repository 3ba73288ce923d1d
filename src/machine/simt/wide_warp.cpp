#include "machine/simt/wide_warp.h"

#include <bit>

namespace raddle::machine::simt {

namespace {

// As splits within a warp of 32 lanes: the deepest call first, then the lowest rank.
bool stands_before(const WideWarp::Half& a, const WideWarp::Half& b) {
  if (a.function != b.function) return a.state->current > b.state->current;
  const auto position = [](const WideWarp::Half& half) {
    const auto pc = static_cast<std::uint64_t>(half.next - half.function->code.data());
    return std::uint64_t{half.function->order[half.next->block]} << 32 | pc;
  };
  return position(a) < position(b);
}

}  // namespace

bool is_lesser_part(const WideWarp& warp) {
  std::uint64_t here = 0, live = 0;
  for (std::size_t h = 0; h < 2; ++h) {
    const WideWarp::Half& half = warp.halves[h];
    live |= std::uint64_t{half.state->live} << h * kernel::exec::kLanes;
    if (half.runs) here |= std::uint64_t{half.state->running.mask} << h * kernel::exec::kLanes;
  }
  const std::uint64_t elsewhere = live & ~here;
  if (elsewhere == 0) return false;
  const int executing = std::popcount(here), waiting = std::popcount(elsewhere);
  const bool lowest_waits = std::countr_zero(elsewhere) < std::countr_zero(here);
  return executing < waiting || (executing == waiting && lowest_waits);
}

bool choose_halves(WideWarp& warp) {
  WideWarp::Half& low = warp.halves[0];
  WideWarp::Half& high = warp.halves[1];
  const bool meet = low.next == high.next;
  if (low.next == nullptr || high.next == nullptr || meet) {
    warp.favoured = WideWarp::kNone;
    low.runs = low.next != nullptr;
    high.runs = high.next != nullptr;
    if (meet) low.polled = high.polled = false;
    return low.runs || high.runs;
  }
  const std::size_t first = warp.favoured != WideWarp::kNone ? warp.favoured
                            : stands_before(high, low)       ? 1
                                                             : 0;
  warp.halves[first].runs = true;
  WideWarp::Half& other = warp.halves[1 - first];
  other.runs = other.polled = false;
  return true;
}

void rotate_halves(WideWarp& warp) {
  warp.favoured = WideWarp::kNone;
  for (std::size_t h = 0; h < 2; ++h) {
    const WideWarp::Half& other = warp.halves[1 - h];
    if (!warp.halves[h].runs || other.runs || !warp.halves[h].polled || other.next == nullptr)
      continue;
    warp.favoured = 1 - h;
    return;
  }
}

}  // namespace raddle::machine::simt
