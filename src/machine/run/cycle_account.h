// What units spent their cycles on. A machine declares one table of causes for each kind of unit
// that issues; a CycleAccount counts cycles by cause and has no other notion of time, so its parts
// sum to the time that passed by construction. What is left up to a known end goes to the table's
// remainder.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "machine/launch_result.h"

namespace raddle::machine {

struct Cause {
  std::string_view name;  // as in LaunchResult::stalls
  CycleKind kind = CycleKind::kStall;
  std::string_view sentence;
};

// The causes of one kind of unit, in the order of their enumeration.
template <class Enum, std::size_t kCount>
class CauseTable {
 public:
  using Value = Enum;

  consteval CauseTable(Enum remainder, const Cause (&causes)[kCount]) : remainder_(remainder) {
    std::copy_n(causes, kCount, causes_.begin());
  }

  static constexpr std::size_t size() { return kCount; }
  constexpr const Cause& operator[](Enum value) const {
    return causes_[static_cast<std::size_t>(value)];
  }
  // Where time goes that nothing else claims.
  constexpr Enum remainder() const { return remainder_; }
  constexpr std::span<const Cause, kCount> causes() const { return causes_; }

 private:
  Enum remainder_;
  std::array<Cause, kCount> causes_{};
};

// Declares the enumeration and the table of a list of causes, so that each is written once:
// #define LIST(CAUSE) CAUSE(kIssued, "issued", kIssued, "an instruction was issued") …
// RADDLE_CAUSES(SlotUse, kSlotUses, kNoWarp, LIST);
// The list gives enumerator, name, CycleKind and sentence; kNoWarp is the remainder.
#define RADDLE_CAUSE_ENUMERATOR(enumerator, name, kind, sentence) enumerator,
#define RADDLE_CAUSE_ENTRY(enumerator, name, kind, sentence) \
  ::raddle::machine::Cause{name, ::raddle::machine::CycleKind::kind, sentence},
#define RADDLE_CAUSES(Enum, kTable, kRemainder, LIST)                     \
  enum class Enum : std::uint8_t { LIST(RADDLE_CAUSE_ENUMERATOR) };       \
  inline constexpr ::raddle::machine::CauseTable kTable(Enum::kRemainder, \
                                                        {LIST(RADDLE_CAUSE_ENTRY)})

// Time is counted in cycles, or in a machine's own unit of time.
template <const auto& kTable, class Time = Cycle>
class CycleAccount {
 public:
  using Table = std::remove_cvref_t<decltype(kTable)>;
  using Value = typename Table::Value;
  static constexpr std::size_t kCauses = Table::size();

  void add(Value cause, Time cycles = Time(1)) {
    cycles_[static_cast<std::size_t>(cause)] += cycles;
  }
  Time operator[](Value cause) const { return cycles_[static_cast<std::size_t>(cause)]; }
  Time sum() const { return std::accumulate(cycles_.begin(), cycles_.end(), Time(0)); }

  static constexpr Value remainder() { return kTable.remainder(); }
  // The units had nothing to do in these last cycles, and they are not to count: they go back.
  void take_idle_back(Time cycles) {
    Time& idle = cycles_[static_cast<std::size_t>(kTable.remainder())];
    RADDLE_ASSERT(idle >= cycles);
    idle -= cycles;
  }
  // Time ends earlier than was counted: cycles go back, those of the last cause first.
  void take_back(Value last, Time cycles) {
    for (std::size_t i = 0; i < kCauses && cycles != Time(0); ++i) {
      Time& own = cycles_[(static_cast<std::size_t>(last) + i) % kCauses];
      const Time taken = std::min(own, cycles);
      own -= taken;
      cycles -= taken;
    }
  }

  std::span<const Time, kCauses> cycles() const { return cycles_; }

  CycleAccount& operator+=(const CycleAccount& other) {
    for (std::size_t i = 0; i < kCauses; ++i) cycles_[i] += other.cycles_[i];
    return *this;
  }
  CycleAccount& operator-=(const CycleAccount& earlier) {
    for (std::size_t i = 0; i < kCauses; ++i) cycles_[i] -= earlier.cycles_[i];
    return *this;
  }
  bool operator==(const CycleAccount&) const = default;

 private:
  std::array<Time, kCauses> cycles_{};
};

inline Stall stall_of(const Cause& cause, double cycles) {
  return {std::string(cause.name), cause.kind, cycles, std::string(cause.sentence)};
}

// An account as LaunchResult::stalls has it.
template <const auto& kTable, class Time>
std::vector<Stall> stalls_of(const CycleAccount<kTable, Time>& account) {
  std::vector<Stall> stalls;
  for (std::size_t i = 0; i < account.kCauses; ++i)
    stalls.push_back(stall_of(kTable.causes()[i], account.cycles()[i].as_double()));
  return stalls;
}

// The account of one unit as statistics of it, without the causes that it never had.
template <const auto& kTable, class Time>
void add_unit_stats(const CycleAccount<kTable, Time>& account, const std::string& unit,
                    LaunchResult& result, double ticks_per_cycle = 1) {
  for (const Stall& stall : stalls_of(account)) {
    if (stall.cycles == 0) continue;
    result.stats.push_back(
        {unit, stall.name, "cycles", stall.sentence, stall.cycles / ticks_per_cycle});
  }
}

// Causes of a source line: those that it has, without what was issued.
inline void add_line_stalls(std::vector<Stall> stalls, LineCost& line) {
  for (Stall& stall : stalls) {
    if (stall.kind == CycleKind::kIssued || stall.cycles == 0) continue;
    line.stall_cycles += stall.cycles;
    line.stalls.push_back(std::move(stall));
  }
}

}  // namespace raddle::machine
