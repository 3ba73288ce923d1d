// Cuts a kernel into pieces, each of which is one configuration of the grid: where units run out,
// and where threads are expected to pass two configurations faster than one (piece_time.h), because
// more copies fit of smaller graphs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel/analysis/cfg.h"
#include "kernel/analysis/dominators.h"
#include "kernel/analysis/loops.h"
#include "machine/cgra/compile/compile_options.h"
#include "machine/cgra/compile/piece_code.h"
#include "machine/cgra/compile/piece_time.h"

namespace raddle::machine::cgra {

struct PieceCandidate {
  PieceCode code;
  PieceGraph graph;
};

// The piece of a region: one part, or its loads and the rest (load_split.h).
using PieceParts = std::vector<PieceCandidate>;
// Segments in the order of control flow; all ways into it lead to the first.
using Region = std::vector<SegmentId>;

// Some part of a kernel that cannot be cut needs more units of a class than there are.
class TooFewUnits : public Error {
 public:
  TooFewUnits(UnitClass unit_in, std::uint32_t needed_in, const std::string& what,
              const std::string& where, const std::string& hint)
      : Error(what, where, hint), unit(unit_in), needed(needed_in) {}

  UnitClass unit;
  std::uint32_t needed;
};

class PieceFormer {
 public:
  // Throws Error that names the line for what does not fit a fabric at all.
  PieceFormer(const kernel::Function& function, const kernel::Module& module,
              const CompileOptions& options);

  const SegmentedKernel& kernel() const { return kernel_; }
  const ValueFacts& facts() const { return facts_; }
  const std::vector<Region>& regions() const { return regions_; }
  PieceParts build(const Region& region) const;

  // Cycles of a core for each thread of the kernel, loops taken as often as all loops are; with
  // the units and the threads of a configuration of these options.
  double time(const CompileOptions& options) const;

  // Instructions that were looked at so far: a measure of the compiler's own time that is the same
  // on every computer.
  std::uint64_t work() const { return work_; }

 private:
  // A place in a region: before an instruction of the region's segment `segment`. Its first
  // instruction: before the segment.
  struct Cut {
    std::size_t segment = 0;
    std::uint32_t at = 0;
  };

  bool form();
  void grow(Region& region, std::vector<bool>& taken);
  bool can_add(const Region& region, SegmentId next, const std::vector<bool>& taken) const;
  Region with_tags(Region region, const std::vector<bool>& taken) const;
  bool is_worth_it(const Region& region, const Region& with, SegmentId next) const;
  PieceParts stays_if_faster(const Region& region, PieceParts whole) const;
  PieceCandidate build_part(PieceCode code) const;
  std::optional<PieceParts> build_if_fits(const Region& region) const;
  bool fits(const Region& region) const { return time_if_fits(region).has_value(); }
  std::optional<UnitClass> short_of(const DataflowGraph& graph) const;
  double weight(const Region& region) const;
  double time_of(const Region& region, const PieceParts& parts,
                 const CompileOptions& options) const;
  std::optional<double> time_if_fits(const Region& region) const;

  bool cuts_recurrence(const Region& region) const;
  bool separates_channel(const Region& first, const Region& second) const;
  template <typename Visitor>
  void for_each_code(const Region& region, Visitor visit) const;
  bool sent_before(std::uint32_t channel, kernel::BlockId block, std::uint32_t index) const;

  void cut_to_fit(SegmentId id);
  void keep_less(SegmentId before);
  void restore(const SegmentedKernel& kept);
  bool improve();
  std::optional<Cut> best_cut(const Region& region, const SegmentedKernel& kept);
  std::vector<std::uint32_t> extent_of(const Region& region) const;
  std::vector<Cut> possible_cuts(const Region& region) const;
  bool is_way_in(const Region& region, std::size_t segment) const;
  Region apply(const Region& region, const Cut& cut, Region& second);

  PieceCandidate too_large(SegmentId id);
  [[noreturn]] void fail(SegmentId id);

  const kernel::Module& module_;
  const CompileOptions options_;
  SegmentedKernel kernel_;
  ValueFacts facts_;
  kernel::ControlFlowGraph graph_;
  kernel::DominatorTree dominators_;
  kernel::LoopForest loops_;
  std::vector<std::vector<bool>> follows_;  // by block: those after it within a turn of each loop
  SegmentUses uses_;
  std::vector<Region> regions_;
  std::set<std::vector<std::uint32_t>> good_;  // regions that no cut makes faster, by their extent
  // What is known of regions, by the version of the code and their extent: none where it does not
  // fit. The same regions are looked at again after every cut.
  using Extent = std::vector<std::uint32_t>;
  mutable std::map<std::pair<std::uint64_t, Extent>, std::optional<double>> times_;
  std::uint64_t versions_ = 0;
  mutable std::uint64_t work_ = 0;
};

}  // namespace raddle::machine::cgra
