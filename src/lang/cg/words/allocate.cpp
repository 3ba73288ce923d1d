#include "lang/cg/words/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/cg/words/liveness.h"

namespace raddle::cg {
namespace {

using machine::overlay::kTemporaries;

class Allocator {
 public:
  Allocator(const LirProgram& program, const std::vector<Step>& steps)
      : program_(program), steps_(steps) {}

  Allocation run(const std::string& file_name) {
    for (const LirRegister& one : program_.registers) {
      first_.push_back(numbers_);
      numbers_ += one.count;
    }
    find_conflicts();
    std::optional<Allocation> best;
    for (const Order order : {Order::kFirstUsed, Order::kWidest, Order::kMaxConflicts}) {
      if (!try_order(order)) continue;
      if (!best || result_.temporaries < best->temporaries) best = result_;
    }
    if (!best) {
      throw Error(fmt::format("the program needs more than {} registers", kTemporaries), file_name,
                  "split it, or do not unroll its loops");
    }
    return std::move(*best);
  }

 private:
  // Who chooses first.
  enum class Order : std::uint8_t { kFirstUsed, kWidest, kMaxConflicts };

  bool try_order(Order order) {
    result_ = {};
    result_.placements.resize(program_.registers.size());
    placed_.assign(program_.registers.size(), false);
    owners_.clear();
    std::vector<std::uint32_t> queue = order_;
    if (order == Order::kWidest) {
      std::ranges::stable_sort(queue, [&](std::uint32_t a, std::uint32_t b) {
        return program_.registers[a].count > program_.registers[b].count;
      });
    } else if (order == Order::kMaxConflicts) {
      std::ranges::stable_sort(queue, [&](std::uint32_t a, std::uint32_t b) {
        return conflict_count(a) > conflict_count(b);
      });
    }
    for (std::uint32_t r = 0; r < program_.registers.size(); ++r) {
      if (program_.registers[r].is_input) put(r, 0, {0, 1, 2, 3});
    }
    return std::ranges::all_of(queue, [&](std::uint32_t r) { return placed_[r] || find_place(r); });
  }

  std::size_t conflict_count(std::uint32_t r) const {
    throw_if_stopped("compiling Cg");
    std::size_t sum = 0;
    for (unsigned c = 0; c < program_.registers[r].count; ++c)
      sum += conflicts_[first_[r] + c].count();
    return sum;
  }

  template <typename Visit>
  static void each_op(const Step& step, const Visit& visit) {
    if (step.bundle.tex != nullptr) visit(*step.bundle.tex);
    if (step.bundle.vector) visit(*step.bundle.vector->op);
    if (step.bundle.scalar &&
        (!step.bundle.vector || step.bundle.vector->op != step.bundle.scalar->op))
      visit(*step.bundle.scalar->op);
  }

  void find_conflicts() {
    std::vector<LirItem> items;
    for (const Step& step : steps_) {
      LirItem item;
      if (step.control != nullptr) {
        item.kind = step.control->kind;
        item.is_conditional = step.control->is_conditional;
      }
      items.push_back(item);
    }
    const auto next = successors(items);
    std::vector<FlowStep> flow(steps_.size());
    std::vector<std::vector<std::uint32_t>> written(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      flow[i].next = next[i];
      if (steps_[i].control != nullptr) continue;
      each_op(steps_[i], [&](const LirOp& op) {
        for_each_read(op, [&](std::uint32_t index, unsigned component) {
          flow[i].uses.push_back(first_[index] + component);
          note(index);
        });
        if (op.target != Target::kRegister) return;
        for (unsigned k = 0; k < op.count; ++k) {
          written[i].push_back(first_[op.index] + op.components[k]);
          if (op.predicate == 0) flow[i].defines.push_back(written[i].back());
        }
        note(op.index);
      });
    }
    const std::vector<BitSet> live = live_out(flow, numbers_);
    conflicts_.assign(numbers_, BitSet(numbers_));
    const auto conflict = [&](std::size_t a, std::size_t b) {
      conflicts_[a].insert(b);
      conflicts_[b].insert(a);
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (const std::uint32_t number : written[i]) {
        live[i].for_each([&](std::size_t other) { conflict(number, other); });
        for (const std::uint32_t other : written[i]) conflict(number, other);
      }
    }
    for (std::uint32_t r = 0; r < program_.registers.size(); ++r) {
      if (!program_.registers[r].is_input || steps_.empty()) continue;
      BitSet start = live[0];
      for (const std::uint32_t number : flow[0].defines) start.erase(number);
      for (const std::uint32_t number : flow[0].uses) start.insert(number);
      for (unsigned c = 0; c < program_.registers[r].count; ++c)
        start.for_each([&](std::size_t other) { conflict(first_[r] + c, other); });
    }
  }

  void note(std::uint32_t index) {
    if (std::ranges::find(order_, index) == order_.end()) order_.push_back(index);
  }

  void put(std::uint32_t r, std::uint32_t number, std::array<std::uint8_t, 4> channels) {
    placed_[r] = true;
    result_.placements[r] = {number, channels};
    result_.temporaries = std::max(result_.temporaries, static_cast<std::uint16_t>(number + 1));
    if (owners_.size() <= number) owners_.resize(number + 1);
    for (unsigned c = 0; c < program_.registers[r].count; ++c)
      owners_[number][channels[c]].push_back(first_[r] + c);
  }

  bool is_free(std::uint32_t r, std::uint32_t number, std::array<std::uint8_t, 4> channels) const {
    if (number >= owners_.size()) return true;
    for (unsigned c = 0; c < program_.registers[r].count; ++c) {
      for (const std::uint32_t owner : owners_[number][channels[c]]) {
        if (conflicts_[first_[r] + c].contains(owner)) return false;
      }
    }
    return true;
  }

  using Channels = std::array<std::uint8_t, 4>;

  // The last red, green and blue channels first: what is wide begins with red.
  static std::vector<Channels> choices(const LirRegister& one) {
    if (one.count == 1) {
      if (one.bank == Bank::kScalar) return {{3, 0, 0, 0}};
      return {{2, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
    }
    if (one.count == 4 || one.keeps_order || one.is_input) return {{0, 1, 2, 3}};
    std::vector<Channels> result;
    if (one.count == 3 && one.alpha == kNoComponent) return {{0, 1, 2, 3}};
    constexpr std::array<std::array<std::uint8_t, 2>, 6> kPairs = {
        {{0, 1}, {1, 2}, {0, 2}, {1, 0}, {2, 1}, {2, 0}}};
    for (const auto& pair : kPairs) {
      Channels channels{};
      unsigned next = 0;
      for (unsigned c = 0; c < one.count; ++c)
        channels[c] = c == one.alpha ? std::uint8_t{3} : pair[next++];
      result.push_back(channels);
    }
    return result;
  }

  bool find_place(std::uint32_t r) {
    throw_if_stopped("compiling Cg");
    const auto possible = choices(program_.registers[r]);
    for (std::uint32_t number = 0; number < kTemporaries; ++number) {
      for (const auto& channels : possible) {
        if (!is_free(r, number, channels)) continue;
        put(r, number, channels);
        return true;
      }
    }
    return false;
  }

  const LirProgram& program_;
  const std::vector<Step>& steps_;
  std::vector<std::uint32_t> first_;
  std::uint32_t numbers_ = 0;
  std::vector<BitSet> conflicts_;
  std::vector<std::uint32_t> order_;
  std::vector<bool> placed_;
  std::vector<std::array<std::vector<std::uint32_t>, 4>> owners_;
  Allocation result_;
};

}  // namespace

Allocation allocate(const LirProgram& program, const std::vector<Step>& steps,
                    const std::string& file_name) {
  return Allocator(program, steps).run(file_name);
}

}  // namespace raddle::cg
