#include "machine/cgra/fabric_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"
#include "machine/cgra/live_value_places.h"
#include "machine/cgra/load_split.h"
#include "machine/cgra/pull_up.h"
#include "machine/cgra/temporal_edges.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::MemoryOrder;
using kernel::Opcode;
using kernel::RegisterId;

namespace {

constexpr std::uint32_t kLiveWordBytes = 4;
constexpr std::size_t kMostPulledUp = 1024;  // instructions

struct Candidate {
  PieceCode code;
  PieceGraph graph;
};

// The piece of a region: one part, or its loads and the rest.
using Parts = std::vector<Candidate>;

class Compiler {
 public:
  Compiler(const kernel::Function& function, const kernel::Module& module,
           const CompileOptions& options)
      : module_(module),
        options_(options),
        kernel_(cut_into_segments(
            function, module, options.units[static_cast<std::size_t>(UnitClass::kLoadStore)] / 4)),
        facts_(kernel_.function, module, options.cheap_operations),
        graph_(kernel_.function),
        dominators_(graph_) {}

  FabricKernel run() {
    while (!form_pieces()) {
    }
    std::map<SegmentId, std::uint32_t> piece_of;
    std::vector<Parts> pieces;
    std::uint32_t count = 0;
    for (const std::vector<SegmentId>& region : regions_) {
      piece_of[region[0]] = count;
      pieces.push_back(build(region));
      count += static_cast<std::uint32_t>(pieces.back().size());
    }
    out_.function = kernel_.function;
    out_.function.blocks.clear();
    for (Parts& parts : pieces) {
      // Registers that earlier pieces added come before this one's; its parts share them.
      const std::size_t added = out_.function.registers.size();
      for (Candidate& part : parts) add_piece(part, added, piece_of);
      out_.function.registers.insert(out_.function.registers.end(), parts[0].code.added.begin(),
                                     parts[0].code.added.end());
    }
    add_constants();
    place_values();
    return std::move(out_);
  }

 private:
  // Grows pieces from the start of the kernel on. False: a segment had to be cut, start again.
  bool form_pieces() {
    uses_ = find_uses(kernel_);
    regions_.clear();
    std::vector<bool> taken(kernel_.segments.size(), false);
    for (SegmentId root = 0; root < kernel_.segments.size(); ++root) {
      if (taken[root]) continue;
      std::vector<SegmentId> region{root};
      taken[root] = true;
      if (!fits(region)) {
        cut_to_fit(root);
        return false;
      }
      grow(region, taken);
      regions_.push_back(std::move(region));
    }
    return true;
  }

  // Segments follow their predecessors in the list, except along loops, so one pass is enough.
  void grow(std::vector<SegmentId>& region, std::vector<bool>& taken) {
    std::set<SegmentId> inside{region[0]};
    for (SegmentId next = region[0] + 1; next < kernel_.segments.size(); ++next) {
      const Segment& segment = kernel_.segments[next];
      if (taken[next] || segment.entry != Entry::kFree) continue;
      const bool only_from_here =
          !segment.predecessors.empty() &&
          std::all_of(segment.predecessors.begin(), segment.predecessors.end(),
                      [&](SegmentId before) { return inside.contains(before); });
      if (!only_from_here) continue;
      region.push_back(next);
      if (!fits(region)) {
        region.pop_back();
        continue;
      }
      inside.insert(next);
      taken[next] = true;
    }
  }

  Parts build(const std::vector<SegmentId>& region) const {
    PieceCode code = convert_to_piece(kernel_, facts_, uses_, region);
    Parts parts;
    if (auto split = split_loads_off(code, kernel_.shared, options_.graph.block)) {
      parts.push_back(build_part(std::move(split->loads)));
      if (!short_of(parts[0].graph.graph)) {
        parts.push_back(build_part(std::move(split->rest)));
        return parts;
      }
      parts.clear();
    }
    parts.push_back(build_part(std::move(code)));
    return parts;
  }

  Candidate build_part(PieceCode code) const {
    Candidate candidate;
    candidate.code = std::move(code);
    candidate.graph = build_graph(kernel_.function, candidate.code, options_.graph);
    candidate.graph.graph.name =
        fmt::format("{}, piece {}", demangled(kernel_.function.name), regions_.size());
    fit_in_time(candidate.graph, options_.graph);
    place_buffers(candidate.graph.graph, options_.units);
    return candidate;
  }

  bool fits(const std::vector<SegmentId>& region) const {
    if (cuts_recurrence(region)) return false;
    try {
      return !short_of(build(region).back().graph.graph).has_value();
    } catch (const CircularWait&) {
      return false;  // recurrences in both directions: one of them in each piece
    }
  }

  // The class of units that the graph needs more of than there are.
  std::optional<UnitClass> short_of(const DataflowGraph& graph) const {
    const auto needed = graph.units_needed();
    for (std::size_t u = 0; u < needed.size(); ++u) {
      if (needed[u] > options_.units[u]) return static_cast<UnitClass>(u);
    }
    return std::nullopt;
  }

  // A receive whose value is sent only later must be in one piece with what sends it.
  bool cuts_recurrence(const std::vector<SegmentId>& region) const {
    std::set<std::uint32_t> sent;
    for_each_code(region, [&](const Instruction& i, kernel::BlockId, std::uint32_t) {
      if (i.opcode == Opcode::kItTag) sent.insert(i.inter_thread.channel);
    });
    bool cut = false;
    for_each_code(region, [&](const Instruction& i, kernel::BlockId block, std::uint32_t index) {
      if (i.opcode != Opcode::kItReceiveConst || sent.contains(i.inter_thread.channel)) return;
      cut = cut || !sent_before(i.inter_thread.channel, block, index);
    });
    return cut;
  }

  template <typename Visitor>
  void for_each_code(const std::vector<SegmentId>& region, Visitor visit) const {
    for (const SegmentId id : region) {
      const Segment& segment = kernel_.segments[id];
      const auto& code = kernel_.function.blocks[segment.block].instructions;
      for (std::uint32_t i = segment.first; i < segment.end; ++i) visit(code[i], segment.block, i);
    }
  }

  bool sent_before(std::uint32_t channel, kernel::BlockId block, std::uint32_t index) const {
    for (kernel::BlockId b = 0; b < kernel_.function.blocks.size(); ++b) {
      const auto& code = kernel_.function.blocks[b].instructions;
      for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code[i].opcode != Opcode::kItTag || code[i].inter_thread.channel != channel) continue;
        if (b == block ? i < index : dominators_.dominates(b, block)) return true;
      }
    }
    return false;
  }

  // Finds the longest beginning of the segment that fits, and cuts behind it.
  void cut_to_fit(SegmentId id) {
    const Segment whole = kernel_.segments[id];
    std::uint32_t fits_until = whole.first;
    const SegmentedKernel kept = kernel_;
    const auto fits_before = [&](std::uint32_t end) {
      kernel_.split(id, end);
      uses_ = find_uses(kernel_);
      const bool good = fits({id});
      kernel_ = kept;
      return good;
    };
    std::uint32_t low = whole.first + 1, high = whole.end;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (fits_before(middle)) {
        fits_until = middle;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // With recurrences, a longer beginning may fit where a shorter one does not.
    for (std::uint32_t end = whole.end; fits_until == whole.first && end > whole.first + 1;) {
      if (fits_before(--end)) fits_until = end;
    }
    uses_ = find_uses(kernel_);
    if (fits_until == whole.first) fail(id);
    kernel_.split(id, fits_until);
    keep_less(id);
  }

  // Moves computations to before a cut where fewer values have to be kept then.
  void keep_less(SegmentId before) {
    const SegmentedKernel kept = kernel_;
    for (std::size_t most = kMostPulledUp; most > 0; most /= 2) {
      const std::size_t moved = pull_up(kernel_, facts_, before, most);
      if (moved == 0) return;
      most = std::min(most, moved);
      facts_ = ValueFacts(kernel_.function, module_, options_.cheap_operations);
      uses_ = find_uses(kernel_);
      if (fits({before})) return;
      kernel_ = kept;
      facts_ = ValueFacts(kernel_.function, module_, options_.cheap_operations);
      uses_ = find_uses(kernel_);
    }
  }

  // The segment, or, where that is a circle, the shortest part of it that lacks units.
  Candidate too_large(SegmentId id) {
    try {
      return std::move(build({id}).back());
    } catch (const CircularWait&) {
      const SegmentedKernel kept = kernel_;
      const Segment whole = kernel_.segments[id];
      for (std::uint32_t end = whole.first + 1; end < whole.end; ++end) {
        kernel_ = kept;
        kernel_.split(id, end);
        uses_ = find_uses(kernel_);
        if (!fits({id}) && !cuts_recurrence({id})) return std::move(build({id}).back());
      }
      throw;
    }
  }

  [[noreturn]] void fail(SegmentId id) {
    const Candidate candidate = too_large(id);
    const std::optional<UnitClass> unit = short_of(candidate.graph.graph);
    std::set<std::string> lines;
    for (const Node& node : candidate.graph.graph.nodes) {
      if (unit && node.unit != *unit) continue;
      const std::string place = module_.describe_location(node.location);
      if (!place.empty()) lines.insert(place);
    }
    const std::string where = lines.empty() ? std::string() : *lines.begin();
    if (!unit) {
      throw Error(
          fmt::format("kernel {}: what one thread receives and what it sends on cannot be "
                      "kept in one piece of the kernel",
                      demangled(kernel_.function.name)),
          where,
          "leave no loop and no barrier, and less code, between fromThreadOrConst and the tagValue "
          "it waits for");
    }
    const auto u = static_cast<std::size_t>(*unit);
    throw Error(
        fmt::format("kernel {} needs {} {} units at once, the grid has {} (lines: {})",
                    demangled(kernel_.function.name), candidate.graph.graph.units_needed()[u],
                    name_of(*unit), options_.units[u], fmt::join(lines, ", ")),
        where, fmt::format("a grid with more {} units would do", name_of(*unit)));
  }

  // `added`: where in the kernel's registers those of the piece begin.
  void add_piece(Candidate& candidate, std::size_t added,
                 const std::map<SegmentId, std::uint32_t>& piece_of) {
    const std::size_t own = kernel_.function.registers.size();
    balance_paths(candidate.graph, options_.graph, options_.units);
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

  void note_traffic(const PieceCode& code) {
    PieceLiveValues traffic;
    traffic.reads = code.live_ins;
    for (const LiveOut& live : code.live_outs) {
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
            i.sources[0].is_register() && facts_.kind(i.sources[0].index) == ValueKind::kComputed)
          return i.sources[0].index;
      }
    }
    return std::nullopt;
  }

  // Receives and tags as what the thread does by itself; the executor does the rest.
  static void make_executable(Candidate& candidate, Piece& piece) {
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
    for (const RegisterId value : facts_.constants()) {
      Instruction copy = facts_.instruction(value);
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

  const kernel::Module& module_;
  const CompileOptions& options_;
  SegmentedKernel kernel_;
  ValueFacts facts_;
  kernel::ControlFlowGraph graph_;
  kernel::DominatorTree dominators_;
  SegmentUses uses_;
  std::vector<std::vector<SegmentId>> regions_;
  std::vector<PieceLiveValues> traffic_;  // by piece
  FabricKernel out_;
};

}  // namespace

std::uint32_t FabricKernel::sent_from(std::uint32_t channel,
                                      const kernel::exec::DecodedFunction& decoded) const {
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (const Tag& tag : pieces[p].tags) {
      if (tag.channel == channel) return decoded.code[decoded.blocks[p].first + tag.code].source[0];
    }
  }
  throw InternalError(fmt::format("nothing is tagged on channel {}", channel));
}

FabricKernel compile_for_fabric(const kernel::Function& function, const kernel::Module& module,
                                const CompileOptions& options) {
  return Compiler(function, module, options).run();
}

}  // namespace raddle::machine::cgra
