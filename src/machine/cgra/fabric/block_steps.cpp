#include "machine/cgra/fabric/block_steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernel/analysis/def_use.h"
#include "machine/cgra/compile/memory_order.h"
#include "machine/cgra/compile/strong_components.h"

namespace raddle::machine::cgra {

using kernel::RegisterId;

namespace {

class Planner {
 public:
  Planner(const Piece& piece, const std::vector<kernel::Instruction>& code)
      : piece_(piece), code_(code), receives_(code.size(), false), loads_(code.size(), false) {
    const std::vector<std::uint32_t>& accesses = piece.graph.access_code;
    for (const std::uint32_t place : piece.graph.receive_code) {
      const bool loads = std::find(accesses.begin(), accesses.end(), place) != accesses.end();
      (loads ? loads_ : receives_)[place] = true;
    }
    for (const std::uint32_t place : piece.far_receives) receives_[place] = true;
  }

  std::vector<BlockStep> run() const {
    std::vector<BlockStep> steps;
    for (std::vector<std::uint32_t>& component : strong_components(needs())) {
      const std::uint32_t first = component[0];
      BlockStep step{BlockStep::Kind::kCode, component};
      if (component.size() > 1) {
        step.kind = BlockStep::Kind::kRecurrence;
      } else if (receives_[first]) {
        step.kind = BlockStep::Kind::kReceive;
      } else if (loads_[first]) {
        step.kind = BlockStep::Kind::kReceiveLoad;
      }
      if (step.kind == BlockStep::Kind::kCode && !steps.empty() &&
          steps.back().kind == BlockStep::Kind::kCode) {
        steps.back().code.push_back(first);
      } else {
        steps.push_back(std::move(step));
      }
    }
    return steps;
  }

 private:
  // By place: the places that come before it.
  std::vector<std::vector<std::uint32_t>> needs() const {
    std::vector<std::vector<std::uint32_t>> needs(code_.size());
    const auto order = find_memory_order(code_);
    std::map<RegisterId, std::uint32_t> written_by;
    for (std::uint32_t i = 0; i < piece_.copies; ++i)
      kernel::for_each_def(code_[i], [&](RegisterId value) { written_by[value] = i; });
    std::map<std::uint32_t, std::uint32_t> tag_of;  // by channel
    for (const Tag& tag : piece_.tags) tag_of[tag.channel] = tag.code;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      kernel::for_each_use(code_[i], [&](RegisterId value) {
        const auto writer = written_by.find(value);
        // What is written after what reads it is the slot of a live value: the old one is meant.
        if (writer == written_by.end()) return;
        if (writer->second < i || i >= piece_.copies) {
          needs[i].push_back(writer->second);
        } else if (writer->second > i) {
          needs[writer->second].push_back(i);
        }
      });
      needs[i].insert(needs[i].end(), order[i].begin(), order[i].end());
      const auto tag = tag_of.find(code_[i].inter_thread.channel);
      if (receives_[i] && tag != tag_of.end()) needs[i].push_back(tag->second);
      // Slots of live values are written last.
      if (i < piece_.copies) continue;
      for (std::uint32_t j = 0; j < piece_.copies; ++j) needs[i].push_back(j);
    }
    return needs;
  }

  const Piece& piece_;
  const std::vector<kernel::Instruction>& code_;
  std::vector<bool> receives_, loads_;  // by place
};

}  // namespace

std::vector<BlockStep> plan_block_steps(const Piece& piece,
                                        const std::vector<kernel::Instruction>& code) {
  return Planner(piece, code).run();
}

}  // namespace raddle::machine::cgra
