#include "lang/cg/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace raddle::cg {
namespace {

constexpr std::uint8_t kAlpha = 3;
// How far behind the first waiting operation a texel may be asked for, or a partner be found.
constexpr std::size_t kTexWindow = 24;
constexpr std::size_t kPartnerWindow = 64;

bool is_tex(const LirOp& op) { return op.is_kill || op.op == IrOp::kTex; }

class BlockScheduler {
 public:
  BlockScheduler(LirProgram& program, PlacementOf& placements, const Options& options,
                 std::size_t first, std::size_t last)
      : program_(program), placements_(placements), options_(options) {
    for (std::size_t i = first; i < last; ++i) ops_.push_back(&program.items[i].op);
  }

  std::vector<Step> run() {
    find_dependences();
    done_.assign(ops_.size(), false);
    std::vector<Step> steps;
    std::size_t left = ops_.size();
    while (left > 0) {
      Step step = next_step();
      for (const std::size_t i : chosen_) {
        done_[i] = true;
        --left;
      }
      step.place = ops_[chosen_[0]]->place;
      steps.push_back(std::move(step));
    }
    return steps;
  }

 private:
  struct Dependences {
    std::set<std::size_t> before;        // words that must be earlier
    std::set<std::size_t> not_after_me;  // may share a word, but not come later
  };
  using Number = std::pair<std::uint32_t, unsigned>;
  static constexpr std::uint32_t kPredicateNumber = 0xffffffffU;

  void find_dependences() {
    dependences_.resize(ops_.size());
    std::map<Number, std::vector<std::size_t>> writers;
    std::map<Number, std::vector<std::size_t>> readers;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const LirOp& op = *ops_[i];
      const auto read = [&](std::uint32_t index, unsigned component) {
        const Number number{index, component};
        for (const std::size_t w : writers[number]) dependences_[i].before.insert(w);
        readers[number].push_back(i);
      };
      for_each_read(op, read);
      if (op.predicate != 0) read(kPredicateNumber, 0);
      const auto write = [&](std::uint32_t index, unsigned component) {
        const Number number{index, component};
        for (const std::size_t w : writers[number]) dependences_[i].before.insert(w);
        for (const std::size_t r : readers[number]) {
          if (r != i) dependences_[i].not_after_me.insert(r);
        }
        // What a predicated write leaves is still that of the one before.
        if (op.predicate == 0) writers[number].clear();
        writers[number].push_back(i);
        if (op.predicate == 0) readers[number].clear();
      };
      if (op.target == Target::kPredicate) write(kPredicateNumber, 0);
      if (op.target != Target::kRegister) continue;
      for (unsigned k = 0; k < op.count; ++k) write(op.index, op.components[k]);
    }
  }

  bool is_ready(std::size_t i, std::size_t with) const {
    const auto is_done = [&](std::size_t other) { return done_[other]; };
    return std::ranges::all_of(dependences_[i].before, is_done) &&
           std::ranges::all_of(dependences_[i].not_after_me,
                               [&](std::size_t other) { return done_[other] || other == with; });
  }

  Step next_step() {
    std::size_t frontier = 0;
    while (done_[frontier]) ++frontier;
    Step step;
    const std::size_t none = ops_.size();
    std::size_t primary = none;
    const std::size_t tex_end = std::min(ops_.size(), frontier + kTexWindow);
    if (options_.level > 0) {
      for (std::size_t i = frontier; i < tex_end && primary == none; ++i) {
        if (!done_[i] && is_tex(*ops_[i]) && is_ready(i, none)) primary = i;
      }
    }
    for (std::size_t i = frontier; i < ops_.size() && primary == none; ++i) {
      if (!done_[i] && is_ready(i, none)) primary = i;
    }
    RADDLE_ASSERT(primary != none);
    chosen_ = {primary};
    const LirOp& op = *ops_[primary];
    if (is_tex(op)) {
      step.bundle.tex = &op;
      return step;
    }
    if (options_.level > 0 && pair(primary, frontier, step.bundle)) return step;
    const auto alone = place(op, Bank::kScalar, {});
    const auto other = alone ? alone : place(op, Bank::kVector, {});
    RADDLE_ASSERT(other.has_value());
    settle(op, alone ? Bank::kScalar : Bank::kVector);
    step.bundle = *other;
    return step;
  }

  bool pair(std::size_t primary, std::size_t frontier, Bundle& into) {
    const LirOp& op = *ops_[primary];
    const std::size_t end = std::min(ops_.size(), frontier + kPartnerWindow);
    for (std::size_t i = frontier; i < end; ++i) {
      if (i == primary || done_[i] || is_tex(*ops_[i])) continue;
      const bool follows = is_ready(i, primary);
      if (!follows || dependences_[i].before.contains(primary)) continue;
      for (const Bank bank : {Bank::kScalar, Bank::kVector}) {
        const Bank other = bank == Bank::kScalar ? Bank::kVector : Bank::kScalar;
        const auto first = place(op, bank, {});
        if (!first || (first->vector && first->scalar)) continue;
        const auto both = place(*ops_[i], other, *first);
        if (!both) continue;
        settle(op, bank);
        settle(*ops_[i], other);
        chosen_ = {primary, i};
        into = *both;
        return true;
      }
    }
    return false;
  }

  bool is_flexible(const LirOp& op) const {
    if (op.target == Target::kResult || op.target == Target::kPredicate) return true;
    return op.target == Target::kRegister && program_.registers[op.index].count == 1 &&
           program_.registers[op.index].bank == Bank::kAny;
  }

  void settle(const LirOp& op, Bank bank) {
    if (op.target != Target::kRegister || !is_flexible(op)) return;
    program_.registers[op.index].bank = bank;
    placements_[op.index].channel[0] = bank == Bank::kScalar ? kAlpha : 0;
  }

  std::uint8_t channel_of(const LirOp& op, unsigned lane, Bank bank) const {
    if (is_flexible(op)) return bank == Bank::kScalar ? kAlpha : 0;
    if (op.target == Target::kOutput) return op.components[lane];
    return placements_[op.index].channel[op.components[lane]];
  }

  // The bundle with the operation added, if it fits. Registers that may lie in either bank are
  // taken to lie in the one given.
  std::optional<Bundle> place(const LirOp& op, Bank bank, const Bundle& with) {
    HalfOp vector{&op, {}, 0};
    HalfOp scalar{&op, {}, 0};
    for (unsigned i = 0; i < op.count; ++i) {
      HalfOp& half = channel_of(op, i, bank) == kAlpha ? scalar : vector;
      half.lanes[half.count++] = static_cast<std::uint8_t>(i);
    }
    bool needs_vector = vector.count > 0;
    bool needs_scalar = scalar.count > 0;
    if (op.op == IrOp::kDot) {
      needs_vector = true;
      needs_scalar = needs_scalar || op.width == 4;
    }
    if (is_scalar_only(op.op)) {
      needs_scalar = true;
      if (scalar.count == 0) scalar.lanes[0] = vector.lanes[0];
      scalar.count = 1;
    }
    if ((needs_vector && with.vector) || (needs_scalar && with.scalar)) return std::nullopt;
    if (!types_agree(op, with)) return std::nullopt;
    Bundle made = with;
    if (needs_vector) made.vector = vector;
    if (needs_scalar) made.scalar = scalar;
    // With the register in the bank that is tried, an operation that reads it sees it there.
    std::uint8_t before = 0;
    const bool tries = op.target == Target::kRegister && is_flexible(op);
    if (tries)
      before = std::exchange(placements_[op.index].channel[0],
                             bank == Bank::kScalar ? kAlpha : std::uint8_t{0});
    const bool fits = choose_sources(operands_of(made, placements_)).has_value();
    if (tries) placements_[op.index].channel[0] = before;
    if (!fits) return std::nullopt;
    return made;
  }

  // A word either writes outputs, or tests.
  static bool types_agree(const LirOp& op, const Bundle& with) {
    const auto tests = [](const LirOp& some) {
      return some.target == Target::kResult || some.target == Target::kPredicate;
    };
    for (const auto& half : {with.vector, with.scalar}) {
      if (!half) continue;
      const LirOp& other = *half->op;
      if ((tests(op) && (other.target == Target::kOutput || tests(other))) ||
          (tests(other) && op.target == Target::kOutput))
        return false;
    }
    return true;
  }

  LirProgram& program_;
  PlacementOf& placements_;
  const Options& options_;
  std::vector<const LirOp*> ops_;
  std::vector<Dependences> dependences_;
  std::vector<bool> done_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

PlacementOf bank_placements(const LirProgram& program) {
  PlacementOf placements;
  for (std::uint32_t r = 0; r < program.registers.size(); ++r) {
    Placement placement{r, {0, 1, 2, 3}};
    if (program.registers[r].count == 1)
      placement.channel[0] = program.registers[r].bank == Bank::kScalar ? kAlpha : 0;
    placements.push_back(placement);
  }
  return placements;
}

std::vector<Step> schedule(LirProgram& program, const Options& options) {
  PlacementOf placements = bank_placements(program);
  std::vector<Step> steps;
  const std::size_t size = program.items.size();
  for (std::size_t i = 0; i < size;) {
    if (program.items[i].kind != ItemKind::kOp) {
      Step step;
      step.control = &program.items[i];
      step.place = program.items[i].place;
      steps.push_back(step);
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < size && program.items[end].kind == ItemKind::kOp) ++end;
    std::vector<Step> block = BlockScheduler(program, placements, options, i, end).run();
    steps.insert(steps.end(), block.begin(), block.end());
    i = end;
  }
  return steps;
}

}  // namespace raddle::cg
