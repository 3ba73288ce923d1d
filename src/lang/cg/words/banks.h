// Which numbers lie in the alpha channel. That decides which half computes them, so it is decided
// when operations are put into words: a number that is only ever written alone may lie there or not
// until the first operation that writes or reads it has its word.
#pragma once

#include <vector>

#include "lang/cg/words/bundle.h"
#include "lang/cg/words/lir.h"

namespace raddle::cg {

class Banks {
 public:
  explicit Banks(const LirProgram& program);

  bool is_flexible(std::uint32_t index, unsigned component) const;
  // Takes a flexible number to lie in a bank for now; returns its channel before.
  std::uint8_t take(std::uint32_t index, unsigned component, Bank bank);
  void put_back(std::uint32_t index, unsigned component, std::uint8_t channel);
  // Puts a number that is still flexible where it is said; kAny: where it was taken to lie.
  void settle(std::uint32_t index, unsigned component, Bank bank);
  // Channels as far as they matter here: 3 is alpha, the others are not.
  const PlacementOf& placements() const { return placements_; }
  void store(LirProgram& program) const;

 private:
  struct State {
    std::uint8_t count = 1;
    bool is_fixed = false;                              // components in their order
    bool has_alpha = false;                             // one lies there
    std::array<bool, 4> alone{true, true, true, true};  // never written with another
    std::array<bool, 4> settled{};
  };

  std::vector<State> states_;
  PlacementOf placements_;
};

}  // namespace raddle::cg
