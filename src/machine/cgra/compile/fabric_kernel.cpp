#include "machine/cgra/compile/fabric_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/dominators.h"
#include "machine/cgra/compile/far_load_spill.h"
#include "machine/cgra/compile/joint_units.h"
#include "machine/cgra/compile/live_value_places.h"
#include "machine/cgra/compile/piece_former.h"
#include "machine/cgra/compile/slack_matching.h"
#include "machine/cgra/map/unit_pattern.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::MemoryOrder;
using kernel::Opcode;
using kernel::RegisterId;

namespace {

constexpr std::uint32_t kLiveWordBytes = 4;
// For large kernels, not all ways are tried: a launch should not wait long for its mapping.
constexpr std::uint64_t kMaxWork = 300'000;
// What larger pieces must gain: estimates are not better than this.
constexpr double kMinGain = 0.97;

class Compiler {
 public:
  Compiler(const PieceFormer& former, const CompileOptions& options)
      : former_(former), kernel_(former.kernel()), options_(options) {}

  FabricKernel run() {
    std::map<SegmentId, std::uint32_t> piece_of;
    std::vector<PieceParts> pieces;
    std::uint32_t count = 0;
    for (const Region& region : former_.regions()) {
      piece_of[region[0]] = count;
      pieces.push_back(former_.build(region));
      count += static_cast<std::uint32_t>(pieces.back().size());
    }
    out_.function = kernel_.function;
    out_.function.blocks.clear();
    for (PieceParts& parts : pieces) {
      // Registers that earlier pieces added come before this one's; its parts share them.
      const std::size_t added = out_.function.registers.size();
      for (PieceCandidate& part : parts) add_piece(part, added, piece_of);
      out_.function.registers.insert(out_.function.registers.end(), parts[0].code.added.begin(),
                                     parts[0].code.added.end());
    }
    out_.block_threads = options_.block_threads();
    find_needs();
    add_constants();
    place_values();
    return std::move(out_);
  }

 private:
  // `added`: where in the kernel's registers those of the piece begin.
  void add_piece(PieceCandidate& candidate, std::size_t added,
                 const std::map<SegmentId, std::uint32_t>& piece_of) {
    const std::size_t own = kernel_.function.registers.size();
    const std::uint32_t most = options_.most_copies(candidate.graph.graph.whole_blocks);
    join_units(candidate.graph, options_.graph, options_.units, most);
    match_slack(candidate.graph, options_.graph, options_.units, most);
    candidate.graph.graph.name =
        fmt::format("{}, piece {}", demangled(kernel_.function.name), out_.pieces.size());
    Piece piece;
    piece.entry = candidate.code.entry;
    piece.entry_instruction = static_cast<std::uint32_t>(candidate.code.entry_instruction);
    piece.copies = static_cast<std::uint32_t>(candidate.code.copies);
    const auto moved = static_cast<RegisterId>(added - own);
    const auto rename = [&](RegisterId& id) {
      if (id >= own) id += moved;
    };
    for (Instruction& i : candidate.code.code) {
      if (i.guard.present()) rename(i.guard.predicate);
      for (kernel::Operand& operand : i.destinations) {
        if (operand.is_register()) rename(operand.index);
      }
      for (kernel::Operand& operand : i.sources) {
        if (operand.is_register()) rename(operand.index);
      }
      piece.polls = piece.polls || i.opcode == Opcode::kAtom || i.order != MemoryOrder::kWeak;
    }
    for (const PieceExit& exit : candidate.code.exits) {
      Exit out{exit.condition, kToEnd, exit.location};
      if (out.condition.present()) rename(out.condition.predicate);
      if (exit.to == kThreadTraps) out.piece = kToTrap;
      if (exit.to == kToRest) out.piece = static_cast<std::uint32_t>(out_.pieces.size() + 1);
      if (exit.to < kernel_.segments.size()) out.piece = piece_of.at(exit.to);
      piece.exits.push_back(out);
    }
    note_traffic(candidate.code);
    make_executable(candidate, piece);
    piece.graph = std::move(candidate.graph);
    out_.function.blocks.push_back(
        {fmt::format("piece{}", out_.pieces.size()), std::move(candidate.code.code)});
    out_.pieces.push_back(std::move(piece));
  }

  void find_needs() {
    const kernel::ControlFlowGraph graph(kernel_.function);
    const kernel::PostDominatorTree ends(graph);
    out_.needs.assign(kernel_.function.registers.size(), Need::kMaybeNever);
    for (const Region& region : former_.regions()) {
      const kernel::BlockId entry = kernel_.segments[region[0]].block;
      for (const SegmentId id : region) {
        const Segment& segment = kernel_.segments[id];
        if (!ends.dominates(segment.block, entry)) continue;
        const auto& code = kernel_.function.blocks[segment.block].instructions;
        for (std::uint32_t i = segment.first; i < segment.end; ++i) {
          kernel::for_each_def(code[i], [&](RegisterId value) {
            const bool is_kept = former_.facts().kind(value) == ValueKind::kComputed;
            out_.needs[value] = is_kept ? Need::kEachTime : Need::kOnce;
          });
        }
      }
    }
  }

  void note_traffic(const PieceCode& code) {
    PieceLiveValues traffic;
    std::ranges::copy_if(code.live_ins, std::back_inserter(traffic.reads),
                         [&](RegisterId value) { return !code.is_uniform(value); });
    for (const LiveOut& live : code.live_outs) {
      if (code.is_uniform(live.slot)) continue;
      traffic.writes.push_back(live.slot);
      if (!live.guard.present()) traffic.replaces.push_back(live.slot);
    }
    for (const Instruction& i : code.code) {
      if (i.opcode != Opcode::kItReceiveConst) continue;
      const auto sent = sent_value(i.inter_thread.channel);
      if (sent) traffic.reads.push_back(*sent);
    }
    traffic_.push_back(std::move(traffic));
  }

  std::optional<RegisterId> sent_value(std::uint32_t channel) const {
    for (const kernel::Block& block : kernel_.function.blocks) {
      for (const Instruction& i : block.instructions) {
        if (i.opcode == Opcode::kItTag && i.inter_thread.channel == channel &&
            i.sources[0].is_register() &&
            former_.facts().kind(i.sources[0].index) == ValueKind::kComputed)
          return i.sources[0].index;
      }
    }
    return std::nullopt;
  }

  // Receives and tags as what the thread does by itself; the executor does the rest.
  static void make_executable(PieceCandidate& candidate, Piece& piece) {
    for (std::uint32_t place = 0; place < candidate.code.code.size(); ++place) {
      Instruction& i = candidate.code.code[place];
      switch (i.opcode) {
        case Opcode::kItTag:
          piece.tags.push_back({i.inter_thread.channel, place});
          i.opcode = Opcode::kMov;
          i.destinations = {kernel::Operand::none()};
          break;
        case Opcode::kItReceiveConst: {
          const auto& near = candidate.graph.receive_code;
          if (std::find(near.begin(), near.end(), place) == near.end())
            piece.far_receives.push_back(place);
          i.opcode = Opcode::kMov;
          break;
        }
        case Opcode::kItReceiveLoad: i.opcode = Opcode::kLd; break;
        default: break;
      }
    }
  }

  void add_constants() {
    kernel::Block block;
    block.label = "constants";
    for (const RegisterId value : former_.facts().constants()) {
      Instruction copy = former_.facts().instruction(value);
      copy.guard = {};
      block.instructions.push_back(std::move(copy));
    }
    out_.function.blocks.push_back(std::move(block));
  }

  // Nodes know live values by the word of the live-value cache.
  void place_values() {
    for (std::size_t p = 0; p < out_.pieces.size(); ++p) {
      for (const Exit& exit : out_.pieces[p].exits) {
        if (exit.piece < out_.pieces.size()) traffic_[p].next.push_back(exit.piece);
      }
    }
    const LiveValuePlaces places = place_live_values(traffic_, out_.function.registers);
    out_.live_bytes = places.total * kLiveWordBytes;
    for (Piece& piece : out_.pieces) {
      for (Node& node : piece.graph.graph.nodes) {
        if (node.kind != NodeKind::kLiveIn && node.kind != NodeKind::kLiveOut) continue;
        const auto found = places.words.find(node.number);
        node.number = found == places.words.end() ? 0 : found->second;
      }
    }
  }

  const PieceFormer& former_;
  const SegmentedKernel& kernel_;
  const CompileOptions& options_;
  std::vector<PieceLiveValues> traffic_;  // by piece
  FabricKernel out_;
};

// A kernel, and the cycles that its pieces are expected to take for each thread.
struct Compiled {
  FabricKernel kernel;
  std::uint32_t threads = 0;  // that share a configuration
  double time = 0;            // with all units
  double time_as_cut = 0;     // with those that it was cut for
  std::uint64_t work = 0;     // PieceFormer::work
};

// `cut_for`: the units that pieces are cut for; those of `options`, or fewer.
Compiled compile_with(const kernel::Function& function, const kernel::Module& module,
                      CompileOptions options, const UnitBudget& cut_for) {
  CompileOptions forming = options;
  forming.units = cut_for;
  const PieceFormer former(function, module, forming);
  Compiled compiled{Compiler(former, options).run(), options.threads};
  // Fewer threads share a configuration where each keeps more values.
  const std::uint64_t bytes = std::max(compiled.kernel.live_bytes, 1u);
  compiled.threads = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(options.live_value_bytes / bytes, 1, options.threads));
  options.threads = forming.threads = compiled.threads;
  compiled.time = former.time(options);
  compiled.time_as_cut = former.time(forming);
  compiled.work = former.work();
  for (Piece& piece : compiled.kernel.pieces) {
    DataflowGraph& graph = piece.graph.graph;
    graph.most_copies = options.most_copies(graph.whole_blocks);
  }
  return compiled;
}

// The ways in which a kernel may be cut into pieces, likely ones first. Values that could be
// computed again in every piece that needs them take units there; where they are kept they take
// load/store units and room.
std::vector<CompileOptions> variants_of(const CompileOptions& options) {
  std::vector<CompileOptions> all;
  CompileOptions with = options;
  for (;; with.recompute.operations /= 2) {
    for (const bool control : {true, false}) {
      if (with.recompute.operations == 0 && !control) continue;  // nothing is computed again
      for (const bool grow_at_once : {true, false}) {
        with.recompute.control = control;
        with.grow_at_once = grow_at_once;
        all.push_back(with);
      }
    }
    if (with.recompute.operations == 0) break;
  }
  return all;
}

// Units to cut a kernel for: one module of the grid, two, four and so on, as far as it has them,
// and all. So a larger grid finds what a smaller one finds.
std::vector<UnitBudget> budgets_of(const UnitBudget& units) {
  std::vector<UnitBudget> all;
  for (std::uint32_t modules = 1; all.empty() || all.back() != units; modules *= 2) {
    UnitBudget budget = UnitModule{}.units;
    for (std::size_t u = 0; u < kUnitClasses; ++u)
      budget[u] = std::min(budget[u] * modules, units[u]);
    if (all.empty() || all.back() != budget) all.push_back(budget);
  }
  return all;
}

// All ways are tried, and the one that is expected to be fastest on so many units is taken: what a
// grid of these would take. Pieces depend on how many threads share a configuration, and that on
// the values that pieces keep: so it is tried again with what turned out. None: the kernel cannot
// be cut so that it fits.
std::optional<Compiled> compile_cut_for(const UnitBudget& cut_for, const kernel::Function& function,
                                        const kernel::Module& module,
                                        const CompileOptions& options) {
  std::optional<Compiled> best;
  std::optional<CompileOptions> chosen;
  std::uint64_t work = 0;
  std::exception_ptr failure;
  std::uint32_t least = ~0u;
  const auto attempt = [&](const CompileOptions& with) {
    try {
      Compiled other = compile_with(function, module, with, cut_for);
      work += other.work;
      if (best && other.time_as_cut >= best->time_as_cut) return;
      best = std::move(other);
      chosen = with;
    } catch (const TooFewUnits& few) {
      // For values that are computed again, or for those that are kept: another way may do.
      if (few.needed < least) failure = std::current_exception();
      least = std::min(least, few.needed);
    } catch (const Error&) {
      if (failure == nullptr) failure = std::current_exception();
    }
  };
  for (const CompileOptions& with : variants_of(options)) {
    if (work < kMaxWork) attempt(with);
  }
  if (!best && cut_for == options.units) std::rethrow_exception(failure);
  if (best && best->threads != options.threads) {
    CompileOptions again = *chosen;
    again.threads = best->threads;
    attempt(again);
  }
  return best;
}

// The units that the kernel would fit with, as parameters; nothing if that is not to be found out
// soon.
std::string units_that_do(const TooFewUnits& failure, const kernel::Function& function,
                          const kernel::Module& module, CompileOptions options) {
  constexpr std::array<std::string_view, kUnitClasses> kKeys{"alu",        "fpu",        "special",
                                                             "load_store", "split_join", "control"};
  constexpr int kTries = 8;
  UnitBudget wanted{};
  const auto want = [&](const TooFewUnits& few) {
    const auto u = static_cast<std::size_t>(few.unit);
    wanted[u] = options.units[u] = few.needed;
  };
  want(failure);
  for (int tries = 0; tries < kTries; ++tries) {
    try {
      compile_cut_for(options.units, function, module, options);
    } catch (const TooFewUnits& few) {
      want(few);
      continue;
    } catch (const Error&) {
      return {};
    }
    std::vector<std::string> keys;
    for (std::size_t u = 0; u < kUnitClasses; ++u) {
      if (wanted[u] > 0) keys.push_back(fmt::format("units.{}={}", kKeys[u], wanted[u]));
    }
    return fmt::format("{} would do", fmt::join(keys, " and "));
  }
  return {};
}

FabricKernel compile_best(const kernel::Function& function, const kernel::Module& module,
                          const CompileOptions& options) {
  std::optional<Compiled> best;
  for (const UnitBudget& cut_for : budgets_of(options.units)) {
    std::optional<Compiled> other = compile_cut_for(cut_for, function, module, options);
    if (other && (!best || other->time < kMinGain * best->time)) best = std::move(other);
  }
  return std::move(best->kernel);
}

// None where that does not help: then the kernel as it was written says what is missing.
std::optional<FabricKernel> compile_spilled(const kernel::Function& function,
                                            const kernel::Module& module,
                                            const CompileOptions& options) {
  const auto spilled = spill_far_loads(function, options.graph.block, options.graph.token_buffer);
  if (!spilled) return std::nullopt;
  try {
    return compile_best(*spilled, module, options);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A fabric is made of units of one thread each.
void refuse_matrices(const kernel::Function& function, const kernel::Module& module) {
  for (const kernel::Block& block : function.blocks) {
    for (const kernel::Instruction& i : block.instructions) {
      const bool is_matrix =
          i.opcode == kernel::Opcode::kMma || i.opcode == kernel::Opcode::kMovMatrix ||
          i.opcode == kernel::Opcode::kLdMatrix || i.opcode == kernel::Opcode::kStMatrix;
      if (!is_matrix) continue;
      throw Error(fmt::format("kernel '{}' uses '{}', and a fabric has no matrix unit",
                              demangled(function.name), name_of(i.opcode)),
                  module.describe_location(i.location), "run it on ref or fermi");
    }
  }
}

}  // namespace

FabricKernel compile_for_fabric(const kernel::Function& function, const kernel::Module& module,
                                const CompileOptions& options) {
  refuse_matrices(function, module);
  try {
    return compile_best(function, module, options);
  } catch (const TooFewUnits& few) {
    if (auto spilled = compile_spilled(function, module, options)) return std::move(*spilled);
    const std::string do_fit = units_that_do(few, function, module, options);
    throw Error(few.what(), few.where(), do_fit.empty() ? few.hint() : do_fit);
  }
}

}  // namespace raddle::machine::cgra
