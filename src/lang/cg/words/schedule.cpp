#include "lang/cg/words/schedule.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/stop_token.h"
#include "lang/cg/words/banks.h"

namespace raddle::cg {
namespace {

constexpr std::uint8_t kAlpha = 3;
bool is_tex(const LirOp& op) { return op.is_kill || op.op == IrOp::kTex; }

class BlockScheduler {
 public:
  BlockScheduler(const LirProgram& program, Banks& banks, const Options& options,
                 const ScheduleLimits& limits, std::size_t first, std::size_t last)
      : banks_(banks), options_(options), limits_(limits) {
    for (std::size_t i = first; i < last; ++i) ops_.push_back(&program.items[i].op);
  }

  std::vector<Step> run() {
    find_dependences();
    find_texel_uses();
    done_.assign(ops_.size(), false);
    std::vector<Step> steps;
    std::size_t left = ops_.size();
    while (left > 0) {
      throw_if_stopped("compiling Cg");
      Step step = next_step();
      for (const std::size_t i : chosen_) {
        done_[i] = true;
        --left;
      }
      step.place = ops_[chosen_[0]]->place;
      steps.push_back(step);
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

  // Who reads each texel, and what texels cannot do without.
  void find_texel_uses() {
    readers_.resize(ops_.size());
    users_.resize(ops_.size());
    feeds_texel_.assign(ops_.size(), false);
    height_.assign(ops_.size(), 0);
    for (std::size_t i = ops_.size(); i-- > 0;) {
      if (is_tex(*ops_[i])) feeds_texel_[i] = true;
      for (const std::size_t before : dependences_[i].before) {
        users_[before].push_back(i);
        height_[before] = std::max(height_[before], height_[i] + 1);
        if (is_tex(*ops_[before])) readers_[before].push_back(i);
        if (feeds_texel_[i]) feeds_texel_[before] = true;
      }
    }
  }

  std::size_t waiting_texels() const {
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const bool is_used =
          std::ranges::all_of(readers_[i], [&](std::size_t r) { return done_[r]; });
      if (done_[i] && is_tex(*ops_[i]) && !is_used) ++waiting;
    }
    return waiting;
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
    const std::size_t tex_end = std::min(ops_.size(), frontier + limits_.texel_window);
    if (options_.level > 0 && waiting_texels() < limits_.texels) {
      for (const bool wants_tex : {!limits_.groups_texels, limits_.groups_texels}) {
        for (std::size_t i = frontier; i < tex_end && primary == none; ++i) {
          if (!done_[i] && feeds_texel_[i] && is_tex(*ops_[i]) == wants_tex && is_ready(i, none))
            primary = i;
        }
      }
    }
    for (std::size_t i = frontier; i < ops_.size() && primary == none; ++i) {
      if (!done_[i] && is_ready(i, none)) primary = i;
    }
    if (limits_.longest_first && primary != none && !is_tex(*ops_[primary])) {
      const std::size_t end = std::min(ops_.size(), frontier + limits_.partner_window);
      for (std::size_t i = frontier; i < end; ++i) {
        if (!done_[i] && !is_tex(*ops_[i]) && height_[i] > height_[primary] && is_ready(i, none))
          primary = i;
      }
    }
    RADDLE_ASSERT(primary != none);
    chosen_ = {primary};
    const LirOp& op = *ops_[primary];
    if (is_tex(op)) {  // reads and writes any channel
      step.bundle.tex = &op;
      return step;
    }
    if (options_.level > 0 && pair(primary, frontier, step.bundle)) return step;
    for (const Bank bank : emptier_bank_first()) {
      const Trial trial(*this, op, bank);
      const auto alone = place(op, bank, {});
      if (!alone) continue;
      settle({{&op, bank}});
      step.bundle = *alone;
      return step;
    }
    RADDLE_ASSERT(false);
    return step;
  }

  // Numbers that are computed and still needed, in the alpha channel and in the three others.
  std::array<Bank, 2> emptier_bank_first() const {
    std::size_t scalars = 0;
    std::size_t vectors = 0;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const LirOp& op = *ops_[i];
      if (!done_[i] || op.target != Target::kRegister) continue;
      const bool is_needed =
          std::ranges::any_of(users_[i], [&](std::size_t u) { return !done_[u]; });
      if (!is_needed) continue;
      for (unsigned k = 0; k < op.count; ++k) {
        const bool is_alpha = banks_.placements()[op.index].channel[op.components[k]] == kAlpha;
        ++(is_alpha ? scalars : vectors);
      }
    }
    if (scalars * 3 > vectors + limits_.alpha_lead) return {Bank::kVector, Bank::kScalar};
    return {Bank::kScalar, Bank::kVector};
  }

  bool pair(std::size_t primary, std::size_t frontier, Bundle& into) {
    const LirOp& op = *ops_[primary];
    const std::size_t end = std::min(ops_.size(), frontier + limits_.partner_window);
    for (std::size_t i = frontier; i < end; ++i) {
      if (i == primary || done_[i] || is_tex(*ops_[i])) continue;
      const bool follows = is_ready(i, primary);
      if (!follows || dependences_[i].before.contains(primary)) continue;
      for (const Bank bank : emptier_bank_first()) {
        const Bank other = bank == Bank::kScalar ? Bank::kVector : Bank::kScalar;
        const Trial first_trial(*this, op, bank);
        const Trial second_trial(*this, *ops_[i], other);
        const auto first = place(op, bank, {});
        if (!first || (first->vector && first->scalar)) continue;
        const auto both = place(*ops_[i], other, *first);
        if (!both) continue;
        settle({{&op, bank}, {ops_[i], other}});
        chosen_ = {primary, i};
        into = *both;
        return true;
      }
    }
    return false;
  }

  bool is_flexible(const LirOp& op) const {
    if (op.target == Target::kResult) return true;
    if (op.target != Target::kRegister || op.count != 1) return false;
    return banks_.is_flexible(op.index, op.components[0]);
  }

  // While it lives, the number that an operation writes is taken to lie in a bank.
  class Trial {
   public:
    Trial(BlockScheduler& scheduler, const LirOp& op, Bank bank) : scheduler_(scheduler) {
      if (op.target != Target::kRegister || !scheduler.is_flexible(op)) return;
      op_ = &op;
      before_ = scheduler.banks_.take(op.index, op.components[0], bank);
    }
    ~Trial() {
      if (op_ != nullptr) scheduler_.banks_.put_back(op_->index, op_->components[0], before_);
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

   private:
    BlockScheduler& scheduler_;
    const LirOp* op_ = nullptr;
    std::uint8_t before_ = 0;
  };

  // From now on everything that the operations touch lies where it was taken to lie.
  void settle(const std::vector<std::pair<const LirOp*, Bank>>& chosen) {
    for (const auto& [op, bank] : chosen) {
      if (op->target != Target::kRegister) continue;
      const Bank wanted = is_flexible(*op) ? bank : Bank::kAny;
      for (unsigned k = 0; k < op->count; ++k) banks_.settle(op->index, op->components[k], wanted);
    }
    for (const auto& [op, bank] : chosen) {
      for_each_read(*op, [&](std::uint32_t index, unsigned component) {
        banks_.settle(index, component, Bank::kAny);
      });
    }
  }

  std::uint8_t channel_of(const LirOp& op, unsigned lane, Bank bank) const {
    if (op.target == Target::kPredicate) return kAlpha;
    if (is_flexible(op)) return bank == Bank::kScalar ? kAlpha : 0;
    if (op.target == Target::kOutput) return op.components[lane];
    return banks_.placements()[op.index].channel[op.components[lane]];
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
    const bool fits = choose_sources(operands_of(made, banks_.placements())).has_value();
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

  Banks& banks_;
  const Options& options_;
  const ScheduleLimits& limits_;
  std::vector<const LirOp*> ops_;
  std::vector<Dependences> dependences_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<bool> feeds_texel_;
  std::vector<std::size_t> height_;  // operations that wait for each other after it
  std::vector<bool> done_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::vector<Step> schedule(LirProgram& program, const Options& options,
                           const ScheduleLimits& limits) {
  struct Block {
    std::size_t first = 0, last = 0;  // items
    std::size_t depth = 0;            // loops around it
    std::vector<Step> steps;
  };
  std::vector<Block> blocks;
  const std::size_t size = program.items.size();
  std::size_t depth = 0;
  for (std::size_t i = 0; i < size;) {
    Block block{i, i + 1, depth, {}};
    const ItemKind kind = program.items[i].kind;
    if (kind == ItemKind::kOp) {
      while (block.last < size && program.items[block.last].kind == ItemKind::kOp) ++block.last;
    }
    if (kind == ItemKind::kLoop) ++depth;
    if (kind == ItemKind::kEndLoop) --depth;
    i = block.last;
    blocks.push_back(std::move(block));
  }
  // What turns most often chooses first where its numbers lie.
  std::vector<Block*> order;
  for (Block& block : blocks) order.push_back(&block);
  std::ranges::stable_sort(order,
                           [](const Block* a, const Block* b) { return a->depth > b->depth; });
  Banks banks(program);
  for (Block* block : order) {
    const LirItem& item = program.items[block->first];
    if (item.kind == ItemKind::kOp) {
      block->steps =
          BlockScheduler(program, banks, options, limits, block->first, block->last).run();
      continue;
    }
    Step step;
    step.control = &item;
    step.place = item.place;
    block->steps = {step};
  }
  banks.store(program);
  std::vector<Step> steps;
  for (Block& block : blocks) steps.insert(steps.end(), block.steps.begin(), block.steps.end());
  return steps;
}

}  // namespace raddle::cg
