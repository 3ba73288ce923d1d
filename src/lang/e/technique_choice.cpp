#include "lang/e/technique_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "lang/e/technique.h"

namespace raddle::e {
namespace {

constexpr std::int64_t kUnbounded = std::int64_t{1} << 40;

struct ValueCount {
  std::int64_t most = kUnbounded;
  bool exact = false;
  std::optional<std::int64_t> block;  // value = $ / block: neighbours share it
};

ValueCount count_of_fibers(std::optional<std::int64_t> thickness) {
  return {std::max<std::int64_t>(1, thickness.value_or(kUnbounded)), thickness.has_value(), 1};
}

// $ / c and $ >> k.
ValueCount divided(const ValueCount& left, std::int64_t divisor) {
  if (divisor <= 0 || !left.block) return {left.most, false, std::nullopt};
  ValueCount result{left.most, left.exact, *left.block * divisor};
  if (left.most < kUnbounded) result.most = (left.most + divisor - 1) / divisor;
  return result;
}

// x & c and x % c: at most `values` of them; as many if x runs through all fibers.
ValueCount limited(const ValueCount& left, std::int64_t values, bool is_contiguous) {
  ValueCount result;
  result.most = std::min(left.most, values);
  result.exact = is_contiguous && left.exact && left.block.has_value();
  return result;
}

ValueCount count_values(const Expr& expr, std::optional<std::int64_t> thickness) {
  if (expr.rank != Rank::kFiber) return {1, true, std::nullopt};
  if (expr.kind == ExprKind::kFiberId) return count_of_fibers(thickness);
  ValueCount unknown;
  unknown.most = std::max<std::int64_t>(1, thickness.value_or(kUnbounded));
  if (expr.kind == ExprKind::kUnary) {
    ValueCount inner = count_values(*expr.children[0], thickness);
    if (expr.unary == UnaryOperator::kNot)
      return {std::min<std::int64_t>(2, inner.most), false, {}};
    inner.block.reset();
    return inner;
  }
  if (expr.kind == ExprKind::kElement && expr.symbol) {
    unknown.most = std::min(unknown.most, expr.symbol->kind == SymbolKind::kArrayParameter
                                              ? kUnbounded
                                              : expr.symbol->words());
    return unknown;
  }
  if (expr.kind != ExprKind::kBinary) return unknown;
  const Expr& right = *expr.children[1];
  const ValueCount left_count = count_values(*expr.children[0], thickness);
  const ValueCount right_count = count_values(right, thickness);
  const bool by_number = right.kind == ExprKind::kNumber;
  switch (expr.binary) {
    case BinaryOperator::kAnd:
      if (by_number && right.value >= 0) {
        const int bits = std::popcount(static_cast<std::uint64_t>(right.value));
        const bool is_contiguous = std::has_single_bit(static_cast<std::uint64_t>(right.value) + 1);
        return limited(left_count, bits > 40 ? kUnbounded : std::int64_t{1} << bits, is_contiguous);
      }
      break;
    case BinaryOperator::kMod:
      if (by_number && right.value > 0 && left_count.block) {
        return limited(left_count, right.value, true);
      }
      break;
    case BinaryOperator::kDiv:
      if (by_number) return divided(left_count, right.value);
      break;
    case BinaryOperator::kSar:
    case BinaryOperator::kShr:
      if (by_number && right.value >= 0 && right.value < 40) {
        return divided(left_count, std::int64_t{1} << right.value);
      }
      break;
    default:
      if (is_comparison(expr.binary)) return {2, false, std::nullopt};
  }
  const bool one_side = expr.children[0]->rank != Rank::kFiber || right.rank != Rank::kFiber;
  if (one_side) {
    ValueCount result = expr.children[0]->rank == Rank::kFiber ? left_count : right_count;
    const bool keeps = expr.binary == BinaryOperator::kAdd || expr.binary == BinaryOperator::kSub;
    if (!keeps) {
      result.block.reset();
      result.exact = false;
    }
    return result;
  }
  unknown.most = std::min(unknown.most, left_count.most > kUnbounded / right_count.most
                                            ? kUnbounded
                                            : left_count.most * right_count.most);
  return unknown;
}

std::int64_t per_backend(std::int64_t thickness, const CompileOptions& options) {
  return (thickness + options.backends - 1) / options.backends;
}

// Targets that one backend meets: no more than it has fibers.
std::optional<std::int64_t> targets_per_backend(const ConstructFacts& facts,
                                                const CompileOptions& options) {
  std::optional<std::int64_t> most = facts.targets.most;
  if (facts.thickness) {
    const std::int64_t fibers = per_backend(*facts.thickness, options);
    most = most ? std::min(*most, fibers) : fibers;
  }
  return most;
}

bool surely_overflows(const ConstructFacts& facts, const CompileOptions& options) {
  const std::optional<std::int64_t> most = targets_per_backend(facts, options);
  return facts.targets.exact && most && *most > options.step_cache_lines;
}

bool surely_fits(const ConstructFacts& facts, const CompileOptions& options) {
  const std::optional<std::int64_t> most = targets_per_backend(facts, options);
  return most && *most <= options.step_cache_lines;
}

std::string count_text(const ConstructFacts& facts) {
  if (!facts.targets.most) return "an unknown number of targets";
  if (*facts.targets.most == 1) return "one target";
  return fmt::format("{}{} targets", facts.targets.exact ? "" : "at most ", *facts.targets.most);
}

TechniqueChoice refuse(std::string reason, std::string hint) {
  TechniqueChoice choice;
  choice.reason = std::move(reason);
  choice.hint = std::move(hint);
  return choice;
}

std::string overflow_text(const std::string& name, const ConstructFacts& facts,
                          const CompileOptions& options) {
  return fmt::format("{} holds at most {} targets per backend, not {}", name,
                     options.step_cache_lines, *targets_per_backend(facts, options));
}

// Machines without scratchpads and active memory, and those that have FS, S2 and FMP alone.
std::optional<TechniqueChoice> refusal_of_machine(const std::string& name,
                                                  const CompileOptions& options) {
  if (!options.multioperations) {
    return refuse("this machine supports neither multioperations nor multiprefixes",
                  "run it on tpa, or write a loop as in benchmarks/e/min-log.e");
  }
  if (!options.all_techniques && name != "FS" && name != "S2" && name != "FMP") {
    return refuse(
        fmt::format("technique {} is not available on this machine; it has FS, S2 and FMP", name),
        "run it on tpa");
  }
  return std::nullopt;
}

// Whether the technique gives what the construct promises; a refusal otherwise.
std::optional<TechniqueChoice> refusal_of(const Technique& technique, const ConstructFacts& facts,
                                          const CompileOptions& options) {
  const std::string name(technique.name);
  if (std::optional<TechniqueChoice> refused = refusal_of_machine(name, options)) return refused;
  if (technique.loads && !facts.source_in_memory) {
    return refuse(
        fmt::format("{} loads its operands from shared memory, this one is computed", name),
        facts.is_prefix ? "use 3MP or MPS" : "use O2");
  }
  if (technique.stores && !facts.result_in_memory) {
    return refuse(
        fmt::format("{} stores prefixes to shared memory, this one is a fiber variable", name),
        "use 3MP or MPL");
  }
  if (name == "BF" && (!facts.targets.most || *facts.targets.most != 1)) {
    return refuse(
        fmt::format("BF reduces to one target, not {}",
                    facts.targets.most ? count_text(facts) : std::string("an unknown number")),
        "use O2");
  }
  if (name == "FMP" && !facts.fast && !facts.targets.on_one_backend) {
    return refuse(
        "FMP gives prefixes in order of arrival: the fibers of a target lie on several "
        "backends",
        "write fast_prefix where the order does not matter");
  }
  const bool uses_scratchpad = name != "FS" && name != "FMP";
  if (uses_scratchpad && surely_overflows(facts, options)) {
    return refuse(overflow_text(name, facts, options),
                  facts.is_prefix ? "write fast_prefix where the order does not matter"
                                  : "use FS, which needs no scratchpad");
  }
  return std::nullopt;
}

std::string times_text(const std::vector<std::string>& names, const ConstructFacts& facts,
                       const CompileOptions& options) {
  std::string text;
  for (const std::string& name : names) {
    const std::optional<std::int64_t> cycles = expected_cycles(name, facts, options);
    if (cycles) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *cycles);
  }
  return text.empty() ? text : "; expected cycles: " + text;
}

TechniqueChoice choose_multi(const ConstructFacts& facts, const CompileOptions& options) {
  TechniqueChoice choice;
  if (facts.fast) {
    choice.name = "FS";
    choice.reason = "fast_multi asks for it";
    return choice;
  }
  if (!surely_fits(facts, options)) {
    choice.name = "FS";
    choice.reason = fmt::format("{} may exceed the {} lines of the step cache", count_text(facts),
                                options.step_cache_lines);
    return choice;
  }
  if (!options.all_techniques) {
    choice.name = "S2";
    choice.reason = "this machine has only the multioperations FS and S2";
    return choice;
  }
  std::vector<std::string> names = {"O2", "FS", "S2"};
  if (facts.source_in_memory) names.insert(names.begin(), "ML");
  if (facts.targets.most == 1) names.emplace_back("BF");
  choice.name = names.front();
  for (const std::string& name : names) {
    const auto best = expected_cycles(choice.name, facts, options);
    const auto other = expected_cycles(name, facts, options);
    if (best && other && *other < *best) choice.name = name;
  }
  choice.reason = fmt::format("{}, the operand {}{}", count_text(facts),
                              facts.source_in_memory ? "is in memory" : "is computed",
                              times_text(names, facts, options));
  return choice;
}

TechniqueChoice choose_prefix(const ConstructFacts& facts, const CompileOptions& options) {
  TechniqueChoice choice;
  if (facts.fast) {
    choice.name = "FMP";
    choice.reason = "fast_prefix asks for it; prefixes come in order of arrival";
    return choice;
  }
  if (surely_overflows(facts, options)) {
    if (facts.targets.on_one_backend) {
      choice.name = "FMP";
      choice.reason = fmt::format(
          "{} exceed the step cache, and the fibers of each lie on one backend", count_text(facts));
      return choice;
    }
    return refuse(overflow_text("an ordered multiprefix", facts, options),
                  "write fast_prefix where the order does not matter");
  }
  const bool loads = facts.source_in_memory;
  const bool stores = facts.result_in_memory;
  choice.name = loads ? (stores ? "MMP" : "MPL") : (stores ? "MPS" : "3MP");
  std::vector<std::string> names = {choice.name, "3MP", "O3M"};
  names.erase(std::unique(names.begin(), names.end()), names.end());
  choice.reason = fmt::format("{}, operands {}, prefixes go to {}{}", count_text(facts),
                              loads ? "in memory" : "computed", stores ? "memory" : "registers",
                              times_text(names, facts, options));
  if (!surely_fits(facts, options)) {
    choice.warning =
        fmt::format("{} may be more than the {} that the step cache holds: the machine would stop",
                    count_text(facts), options.step_cache_lines);
  }
  return choice;
}

}  // namespace

TargetCount count_targets(const Expr& target, std::optional<std::int64_t> thickness,
                          const CompileOptions& options) {
  TargetCount result;
  std::int64_t most = 1;
  bool exact = true;
  for (const ExprPtr& index : target.children) {
    const ValueCount count = count_values(*index, thickness);
    most = most > kUnbounded / count.most ? kUnbounded : most * count.most;
    exact = exact && count.exact;
    if (target.children.size() == 1 && count.block && thickness) {
      const bool even = *thickness % options.backends == 0;
      const std::int64_t share = *thickness / options.backends;
      result.on_one_backend = even && share % *count.block == 0;
    }
  }
  if (target.symbol && target.symbol->kind == SymbolKind::kShared) {
    if (target.symbol->words() < most) exact = false;
    most = std::min(most, target.symbol->words());
  }
  if (thickness) most = std::min(most, std::max<std::int64_t>(1, *thickness));
  if (most < kUnbounded) result.most = most;
  result.exact = exact && result.most.has_value();
  return result;
}

std::optional<std::int64_t> expected_cycles(const std::string& technique,
                                            const ConstructFacts& facts,
                                            const CompileOptions& options) {
  if (!facts.thickness || !facts.targets.most) return std::nullopt;
  const std::int64_t fibers = *facts.thickness;
  const std::int64_t targets = *facts.targets.most;
  const std::int64_t here = *targets_per_backend(facts, options);
  const std::int64_t backends = options.backends;
  const std::int64_t segment = options.memory_segment;
  // A full step: one fiber a cycle, the synchronisation, and no less than the pipeline is long.
  const std::int64_t step =
      std::max(per_backend(fibers, options) + 1, segment + options.pipeline_stages);
  const std::int64_t load = facts.source_in_memory ? step : 0;
  const std::int64_t store = facts.result_in_memory ? step : 0;
  const std::int64_t congested = std::max(step, fibers / std::min(targets, backends) + 1);
  const std::int64_t ordering = backends + here + 1;
  if (technique == "FS") return load + congested;
  if (technique == "S2") return load + 2 * step;
  if (technique == "BF") return load + step + backends + options.frontend_write_latency;
  if (technique == "O2") return load + step + here + 1;
  if (technique == "ML") return step + segment + here + 1;
  if (technique == "FMP") return load + congested + store;
  if (technique == "3MP") return load + 2 * step + ordering + store;
  if (technique == "O3M") {
    const int levels = std::bit_width(static_cast<std::uint64_t>(backends - 1));
    return load + 2 * step + levels * (segment + options.pipeline_stages) + here + 1 + store;
  }
  if (technique == "MPL") return 2 * step + ordering + segment + store;
  if (technique == "MPS") return load + 2 * step + ordering + segment;
  return 2 * step + ordering + 2 * segment;
}

TechniqueChoice choose_technique(const ConstructFacts& facts, const std::string& forced,
                                 const CompileOptions& options) {
  if (forced.empty()) {
    TechniqueChoice choice =
        facts.is_prefix ? choose_prefix(facts, options) : choose_multi(facts, options);
    if (choice.name.empty()) return choice;
    return refusal_of_machine(choice.name, options).value_or(std::move(choice));
  }
  const Technique& technique = *find_technique(forced);
  if (const std::optional<TechniqueChoice> refused = refusal_of(technique, facts, options)) {
    return *refused;
  }
  TechniqueChoice choice;
  choice.name = forced;
  choice.reason = "it was asked for" + times_text({forced}, facts, options);
  const bool uses_scratchpad = forced != "FS" && forced != "FMP";
  if (uses_scratchpad && !surely_fits(facts, options)) {
    choice.warning =
        fmt::format("{} may be more than the {} that the step cache holds: the machine would {}",
                    count_text(facts), options.step_cache_lines,
                    facts.is_prefix || forced == "ML" ? "stop" : "spill");
  }
  return choice;
}

}  // namespace raddle::e
