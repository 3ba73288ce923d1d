#include "lang/cg/words/banks.h"

#include <utility>

namespace raddle::cg {
namespace {

constexpr std::uint8_t kAlpha = 3;

}  // namespace

Banks::Banks(const LirProgram& program) {
  for (std::uint32_t r = 0; r < program.registers.size(); ++r) {
    const LirRegister& one = program.registers[r];
    State state;
    state.count = one.count;
    state.is_fixed = one.count == 4 || one.keeps_order || one.is_input;
    states_.push_back(state);
    placements_.push_back({r, {0, 1, 2, 3}});
    // What is not known yet is read from the alpha channel, whose addresses are seldom used up.
    if (one.count == 1) placements_.back().channel[0] = kAlpha;
    if (one.bank != Bank::kAny) settle(r, 0, one.bank);
  }
  for (const LirItem& item : program.items) {
    if (item.kind != ItemKind::kOp || item.op.target != Target::kRegister) continue;
    for (unsigned k = 0; k < item.op.count; ++k) {
      if (item.op.count > 1) states_[item.op.index].alone[item.op.components[k]] = false;
    }
  }
}

bool Banks::is_flexible(std::uint32_t index, unsigned component) const {
  const State& state = states_[index];
  if (state.settled[component]) return false;
  if (state.count == 1) return true;
  return !state.is_fixed && !state.has_alpha && state.alone[component];
}

std::uint8_t Banks::take(std::uint32_t index, unsigned component, Bank bank) {
  const std::uint8_t other =
      states_[index].count == 1 ? std::uint8_t{0} : static_cast<std::uint8_t>(component);
  return std::exchange(placements_[index].channel[component],
                       bank == Bank::kScalar ? kAlpha : other);
}

void Banks::put_back(std::uint32_t index, unsigned component, std::uint8_t channel) {
  if (!states_[index].settled[component]) placements_[index].channel[component] = channel;
}

void Banks::settle(std::uint32_t index, unsigned component, Bank bank) {
  State& state = states_[index];
  if (state.settled[component]) return;
  const bool may_choose = is_flexible(index, component);
  state.settled[component] = true;
  std::uint8_t& channel = placements_[index].channel[component];
  if (!may_choose || bank == Bank::kAny) return;
  if (bank == Bank::kScalar) {
    channel = kAlpha;
    state.has_alpha = true;
  } else if (channel == kAlpha) {
    channel = 0;
  }
}

void Banks::store(LirProgram& program) const {
  for (std::size_t r = 0; r < program.registers.size(); ++r) {
    LirRegister& one = program.registers[r];
    if (one.count == 1) {
      one.bank = placements_[r].channel[0] == kAlpha ? Bank::kScalar : Bank::kVector;
      continue;
    }
    if (states_[r].is_fixed) continue;
    for (unsigned c = 0; c < one.count; ++c) {
      if (placements_[r].channel[c] == kAlpha) one.alpha = static_cast<std::uint8_t>(c);
    }
  }
}

}  // namespace raddle::cg
