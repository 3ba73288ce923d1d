#include "machine/cgra/compile/tag_joining.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/channel_waits.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/loops.h"

namespace raddle::machine::cgra {

using kernel::BlockId;
using kernel::Instruction;
using kernel::kNoId;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;

namespace {

struct Place {
  BlockId block = 0;
  std::size_t index = 0;
};

// In a tree of dominators: the nearest block above all of them.
std::optional<BlockId> common(const kernel::DominatorTree& tree, const std::vector<Place>& tags,
                              BlockId above) {
  for (const Place& tag : tags) {
    while (above != kNoId && !tree.dominates(above, tag.block)) above = tree.parent(above);
    if (above == kNoId) return std::nullopt;
  }
  return above;
}

class Joiner {
 public:
  Joiner(kernel::Function& function, const kernel::Module& module)
      : function_(function),
        module_(module),
        graph_(function),
        dominators_(graph_),
        post_dominators_(graph_),
        loops_(graph_, dominators_) {}

  void run(const std::vector<Place>& tags) {
    const std::optional<BlockId> meet = meeting_point(tags);
    if (!meet) fail(tags);
    Instruction joined = at(tags[0]);
    const RegisterId value = add_register("tagged", joined.type);
    const BlockId start = common(dominators_, tags, *meet).value();  // the entry at worst
    const bool is_complete = !reaches_without(start, *meet, tags) &&
                             std::none_of(tags.begin(), tags.end(), [&](const Place& tag) {
                               return at(tag).guard.present();
                             });
    joined.guard = {};
    joined.sources[0] = Operand::reg(value);
    if (!is_complete) joined.guard.predicate = add_register("is_tagged", kernel::Type::kPred);
    for (const Place& tag : tags) replace(tag, value, joined.guard);
    insert(*meet, joined);
    if (!is_complete)
      insert(start, move(Operand::reg(joined.guard.predicate), Operand::immediate(0),
                         kernel::Type::kPred, joined.location));
  }

 private:
  Instruction& at(const Place& place) {
    return function_.blocks[place.block].instructions[place.index];
  }

  RegisterId add_register(const char* name, kernel::Type type) {
    function_.registers.push_back({name, type});
    return static_cast<RegisterId>(function_.registers.size() - 1);
  }

  static Instruction move(Operand to, Operand from, kernel::Type type, std::uint32_t location) {
    Instruction move;
    move.opcode = Opcode::kMov;
    move.type = type;
    move.location = location;
    move.destinations = {to};
    move.sources = {from};
    return move;
  }

  // Keeps the value instead of sending it, and that there is one if not all paths have one.
  void replace(const Place& place, RegisterId value, const kernel::Guard& is_tagged) {
    const Instruction tag = at(place);
    at(place) = move(Operand::reg(value), tag.sources[0], tag.type, tag.location);
    at(place).guard = tag.guard;
    if (!is_tagged.present()) return;
    Instruction mark = move(Operand::reg(is_tagged.predicate), Operand::immediate(1),
                            kernel::Type::kPred, tag.location);
    mark.guard = tag.guard;
    auto& code = function_.blocks[place.block].instructions;
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(place.index) + 1, std::move(mark));
  }

  void insert(BlockId block, const Instruction& instruction) {
    auto& code = function_.blocks[block].instructions;
    code.insert(code.begin(), instruction);
  }

  // Where all paths after the tags meet; none if the channel is received from before that, if one
  // tag comes after another, or if that is in another iteration of a loop.
  std::optional<BlockId> meeting_point(const std::vector<Place>& tags) {
    const std::optional<BlockId> meet = common(post_dominators_, tags, tags[0].block);
    if (!meet) return std::nullopt;
    const std::uint32_t channel = at(tags[0]).inter_thread.channel;
    for (const Place& tag : tags) {
      if (dominators_.dominates(*meet, tag.block) ||
          loops_.innermost(tag.block) != loops_.innermost(*meet))
        return std::nullopt;
      if (uses(channel, tag.block, tag.index + 1)) return std::nullopt;
      std::vector<bool> seen(graph_.size(), false);
      std::vector<BlockId> work = graph_.successors(tag.block);
      while (!work.empty()) {
        const BlockId block = work.back();
        work.pop_back();
        if (block == *meet || seen[block]) continue;
        seen[block] = true;
        if (uses(channel, block, 0)) return std::nullopt;
        work.insert(work.end(), graph_.successors(block).begin(), graph_.successors(block).end());
      }
    }
    return meet;
  }

  bool uses(std::uint32_t channel, BlockId block, std::size_t from) const {
    const auto& code = function_.blocks[block].instructions;
    return std::any_of(
        code.begin() + static_cast<std::ptrdiff_t>(from), code.end(), [&](const Instruction& i) {
          return (i.opcode == Opcode::kItTag || i.opcode == Opcode::kItReceiveConst) &&
                 i.inter_thread.channel == channel;
        });
  }

  bool reaches_without(BlockId from, BlockId to, const std::vector<Place>& tags) const {
    std::vector<bool> seen(graph_.size(), false);
    for (const Place& tag : tags) seen[tag.block] = true;
    std::vector<BlockId> work{from};
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      if (block == to) return true;
      if (seen[block]) continue;
      seen[block] = true;
      work.insert(work.end(), graph_.successors(block).begin(), graph_.successors(block).end());
    }
    return false;
  }

  [[noreturn]] void fail(const std::vector<Place>& tags) {
    const std::uint32_t channel = at(tags[0]).inter_thread.channel;
    const std::string name = channel < function_.channels.size()
                                 ? fmt::format("channel \"{}\"", function_.channels[channel])
                                 : fmt::format("channel {}", channel);
    const bool is_copy = kernel::same_place(module_, at(tags[0]), at(tags[1]));
    throw Error(
        fmt::format(
            "kernel {}: {} is tagged here and at {}, and a fabric sends it from one place",
            demangled(function_.name), name,
            is_copy ? "a copy of this line" : module_.describe_location(at(tags[1]).location)),
        module_.describe_location(at(tags[0]).location),
        is_copy ? "a loop was unrolled in part: write #pragma unroll 1 before it"
                : "choose the value first and tag it once, after the condition; or give one of "
                  "the two a channel of its own");
  }

  kernel::Function& function_;
  const kernel::Module& module_;
  kernel::ControlFlowGraph graph_;
  kernel::DominatorTree dominators_;
  kernel::PostDominatorTree post_dominators_;
  kernel::LoopForest loops_;
};

std::map<std::uint32_t, std::vector<Place>> tags_of(const kernel::Function& function) {
  std::map<std::uint32_t, std::vector<Place>> tags;
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    const auto& code = function.blocks[b].instructions;
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i].opcode == Opcode::kItTag) tags[code[i].inter_thread.channel].push_back({b, i});
    }
  }
  return tags;
}

}  // namespace

void join_tags(kernel::Function& function, const kernel::Module& module) {
  const auto several = [](const auto& tags) { return tags.second.size() > 1; };
  for (;;) {
    const auto tags = tags_of(function);
    const auto found = std::find_if(tags.begin(), tags.end(), several);
    if (found == tags.end()) return;
    Joiner(function, module).run(found->second);
  }
}

}  // namespace raddle::machine::cgra
