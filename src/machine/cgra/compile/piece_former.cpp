#include "machine/cgra/compile/piece_former.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/demangle.h"
#include "base/error.h"
#include "base/stop_token.h"
#include "kernel/analysis/channel_waits.h"
#include "machine/cgra/compile/hoisting.h"
#include "machine/cgra/compile/load_split.h"
#include "machine/cgra/compile/slack_matching.h"
#include "machine/cgra/compile/staying_loops.h"
#include "machine/cgra/compile/temporal_edges.h"

namespace raddle::machine::cgra {

namespace {

constexpr std::size_t kMaxPulledUp = 1024;  // instructions
constexpr std::size_t kCutsTried = 12;      // within a region
// What a cut must gain: estimates are not better than this.
constexpr double kMinGain = 0.97;

}  // namespace

PieceFormer::PieceFormer(const kernel::Function& function, const kernel::Module& module,
                         const CompileOptions& options)
    : module_(module),
      options_(options),
      kernel_(cut_into_segments(
          function, module, options_.units[static_cast<std::size_t>(UnitClass::kLoadStore)] / 4)),
      facts_(kernel_.function, module, options_.recompute, kernel_.uniform, kernel_.turns),
      graph_(kernel_.function),
      dominators_(graph_),
      loops_(graph_, dominators_),
      follows_(kernel::forward_reach(graph_, loops_)) {
  do {
    while (!form()) {
    }
  } while (improve());
}

// Grows pieces from the start of the kernel on. False: a segment had to be cut, start again.
bool PieceFormer::form() {
  uses_ = find_uses(kernel_);
  regions_.clear();
  std::vector<bool> taken(kernel_.segments.size(), false);
  for (SegmentId root = 0; root < kernel_.segments.size(); ++root) {
    if (taken[root]) continue;
    Region region = with_tags({root}, taken);
    if (!fits(region)) {
      cut_to_fit(root);
      return false;
    }
    for (const SegmentId id : region) taken[id] = true;
    grow(region, taken);
    regions_.push_back(std::move(region));
  }
  return true;
}

// Segments follow their predecessors in the list, except along loops, so one pass is enough; but a
// loop comes before what follows it, because its threads may go round without leaving.
void PieceFormer::grow(Region& region, std::vector<bool>& taken) {
  const std::uint32_t depth = loops_.depth(kernel_.segments[region[0]].block);
  for (const bool in_loop : {true, false}) {
    for (SegmentId next = region[0] + 1; next < kernel_.segments.size(); ++next) {
      if (in_loop && loops_.depth(kernel_.segments[next].block) < depth) continue;
      if (!can_add(region, next, taken)) continue;
      Region with = region;
      with.insert(std::ranges::upper_bound(with, next), next);
      with = with_tags(std::move(with), taken);
      if (options_.grow_at_once ? !fits(with) : !is_worth_it(region, with, next)) continue;
      region = std::move(with);
      for (const SegmentId id : region) taken[id] = true;
    }
  }
}

// Whether all ways into the segment come from the region.
bool PieceFormer::can_add(const Region& region, SegmentId next,
                          const std::vector<bool>& taken) const {
  const Segment& segment = kernel_.segments[next];
  if (taken[next] || segment.entry != Entry::kFree || segment.starts_piece ||
      segment.predecessors.empty())
    return false;
  return std::all_of(segment.predecessors.begin(), segment.predecessors.end(),
                     [&](SegmentId before) {
                       return std::find(region.begin(), region.end(), before) != region.end();
                     });
}

// Whether threads pass both in one configuration at least as fast as in two.
bool PieceFormer::is_worth_it(const Region& region, const Region& with, SegmentId next) const {
  const std::optional<double> together = time_if_fits(with);
  if (!together) return false;
  const std::optional<double> before = time_if_fits(region), alone = time_if_fits({next});
  return !before || !alone || *together <= *before + *alone;
}

PieceParts PieceFormer::build(const Region& region) const {
  for (const SegmentId id : region) work_ += kernel_.segments[id].end - kernel_.segments[id].first;
  PieceCode code = convert_to_piece(kernel_, facts_, uses_, region);
  auto split = split_loads_off(code, kernel_.shared, options_.graph.block);
  PieceParts whole;
  whole.push_back(build_part(std::move(code)));
  if (!split) return stays_if_faster(region, std::move(whole));
  PieceParts parts;
  parts.push_back(build_part(std::move(split->loads)));
  if (short_of(parts[0].graph.graph)) return whole;
  parts.push_back(build_part(std::move(split->rest)));
  if (short_of(whole[0].graph.graph)) return parts;
  const bool is_faster = !short_of(parts[1].graph.graph) &&
                         time_of(region, parts, options_) < time_of(region, whole, options_);
  return is_faster ? std::move(parts) : std::move(whole);
}

// Where its threads have to wait in the order of their warp, a loop gains nothing by that.
PieceParts PieceFormer::stays_if_faster(const Region& region, PieceParts whole) const {
  const PieceCandidate& leaves = whole[0];
  if (!options_.loops_stay ||
      !may_stay(leaves.code, region[0], leaves.graph, kernel_.shared, options_))
    return whole;
  PieceCode code = leaves.code;
  code.stays = true;
  PieceParts staying;
  staying.push_back(build_part(std::move(code)));
  if (short_of(staying[0].graph.graph)) return whole;
  const bool is_faster =
      time_of(region, staying, options_) < kMinGain * time_of(region, whole, options_);
  return is_faster ? std::move(staying) : std::move(whole);
}

PieceCandidate PieceFormer::build_part(PieceCode code) const {
  throw_if_stopped("forming pieces");
  PieceCandidate candidate;
  candidate.code = std::move(code);
  candidate.graph = build_graph(kernel_.function, candidate.code, options_.graph);
  candidate.graph.graph.name =
      fmt::format("{}, piece {}", demangled(kernel_.function.name), regions_.size());
  fit_in_time(candidate.graph, options_.graph);
  place_buffers(candidate.graph.graph, options_.units);
  return candidate;
}

std::optional<PieceParts> PieceFormer::build_if_fits(const Region& region) const {
  if (cuts_recurrence(region)) return std::nullopt;
  try {
    PieceParts parts = build(region);
    if (short_of(parts.back().graph.graph)) return std::nullopt;
    return parts;
  } catch (const CircularWait&) {
    return std::nullopt;  // recurrences in both directions: one of them in each piece
  }
}

// The class of units that the graph needs more of than there are.
std::optional<UnitClass> PieceFormer::short_of(const DataflowGraph& graph) const {
  const auto needed = graph.units_needed();
  for (std::size_t u = 0; u < needed.size(); ++u) {
    if (needed[u] > options_.units[u]) return static_cast<UnitClass>(u);
  }
  return std::nullopt;
}

// --- time -----------------------------------------------------------------------------------------

double PieceFormer::weight(const Region& region) const {
  double weight = 1;
  for (std::uint32_t d = loops_.depth(kernel_.segments[region[0]].block); d > 0; --d)
    weight *= kTurns;
  return weight;
}

double PieceFormer::time_of(const Region& region, const PieceParts& parts,
                            const CompileOptions& options) const {
  double time = 0;
  for (const PieceCandidate& part : parts) time += piece_time(part.graph, options.threads, options);
  return time * weight(region);
}

std::optional<double> PieceFormer::time_if_fits(const Region& region) const {
  const auto [found, fresh] = times_.try_emplace({kernel_.version, extent_of(region)});
  if (!fresh) return found->second;
  const std::optional<PieceParts> parts = build_if_fits(region);
  if (parts) found->second = time_of(region, *parts, options_);
  return found->second;
}

double PieceFormer::time(const CompileOptions& options) const {
  double time = 0;
  for (const Region& region : regions_) time += time_of(region, build(region), options);
  return time;
}

// --- cuts -----------------------------------------------------------------------------------------

void PieceFormer::restore(const SegmentedKernel& kept) {
  for (const kernel::Block& block : kept.function.blocks) work_ += block.instructions.size();
  kernel_ = kept;
  facts_ =
      ValueFacts(kernel_.function, module_, options_.recompute, kernel_.uniform, kernel_.turns);
  uses_ = find_uses(kernel_);
}

// Finds the longest beginning of the segment that fits, and cuts after it.
void PieceFormer::cut_to_fit(SegmentId id) {
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
void PieceFormer::keep_less(SegmentId before) {
  const SegmentedKernel kept = kernel_;
  for (std::size_t most = kMaxPulledUp; most > 0; most /= 2) {
    const std::size_t moved = hoist(kernel_, facts_, before, most);
    if (moved == 0) return;
    kernel_.version = ++versions_;
    most = std::min(most, moved);
    facts_ =
        ValueFacts(kernel_.function, module_, options_.recompute, kernel_.uniform, kernel_.turns);
    uses_ = find_uses(kernel_);
    if (fits({before})) return;
    restore(kept);
  }
}

// Whether what follows in the region, the segment included, can only be reached through it.
bool PieceFormer::is_way_in(const Region& region, std::size_t segment) const {
  const std::set<SegmentId> behind(region.begin() + static_cast<std::ptrdiff_t>(segment),
                                   region.end());
  return std::all_of(region.begin() + static_cast<std::ptrdiff_t>(segment) + 1, region.end(),
                     [&](SegmentId id) {
                       const auto& before = kernel_.segments[id].predecessors;
                       return std::all_of(before.begin(), before.end(),
                                          [&](SegmentId from) { return behind.contains(from); });
                     });
}

std::vector<PieceFormer::Cut> PieceFormer::possible_cuts(const Region& region) const {
  std::vector<Cut> all;
  for (std::size_t s = 0; s < region.size(); ++s) {
    if (!is_way_in(region, s)) continue;
    const Segment& segment = kernel_.segments[region[s]];
    for (std::uint32_t at = segment.first + (s == 0 ? 1 : 0); at < segment.end; ++at)
      all.push_back({s, at});
  }
  std::vector<Cut> some;
  const std::size_t tried = std::min(all.size(), kCutsTried);
  for (std::size_t i = 0; i < tried; ++i)
    some.push_back(all[(2 * i + 1) * all.size() / (2 * tried)]);
  return some;
}

// Cuts, and gives the region before the cut and the one after it.
Region PieceFormer::apply(const Region& region, const Cut& cut, Region& second) {
  const SegmentId id = region[cut.segment];
  const bool within = cut.at > kernel_.segments[id].first;
  Region first(region.begin(), region.begin() + static_cast<std::ptrdiff_t>(cut.segment));
  second.assign(region.begin() + static_cast<std::ptrdiff_t>(cut.segment), region.end());
  if (within) {
    kernel_.split(id, cut.at);
    first.push_back(id);
    for (SegmentId& behind : second) ++behind;
  }
  kernel_.segments[second[0]].starts_piece = true;
  uses_ = find_uses(kernel_);
  if (within) keep_less(id);
  return first;
}

// Where the region's segments lie in the code.
std::vector<std::uint32_t> PieceFormer::extent_of(const Region& region) const {
  std::vector<std::uint32_t> extent;
  for (const SegmentId id : region) {
    const Segment& segment = kernel_.segments[id];
    extent.insert(extent.end(), {segment.block, segment.first, segment.end});
  }
  return extent;
}

// The cut that gains most.
std::optional<PieceFormer::Cut> PieceFormer::best_cut(const Region& region,
                                                      const SegmentedKernel& kept) {
  const double whole = *time_if_fits(region);
  double least = kMinGain * whole;
  std::optional<Cut> best;
  for (const Cut& cut : possible_cuts(region)) {
    Region second;
    const Region first = apply(region, cut, second);
    if (!separates_channel(first, second)) {
      const std::optional<double> before = time_if_fits(first), behind = time_if_fits(second);
      if (before && behind && *before + *behind < least) {
        least = *before + *behind;
        best = cut;
      }
    }
    restore(kept);
  }
  return best;
}

// Cuts a region where that makes its threads faster. False: there is none.
bool PieceFormer::improve() {
  const SegmentedKernel kept = kernel_;
  for (const Region& region : std::vector<Region>(regions_)) {
    if (good_.contains(extent_of(region))) continue;
    if (const std::optional<Cut> cut = best_cut(region, kept)) {
      Region second;
      apply(region, *cut, second);
      return true;
    }
    good_.insert(extent_of(region));
  }
  return false;
}

// --- what does not fit at all -------------------------------------------------------------------

// The segment, or, where that is a circle, the shortest part of it that lacks units.
PieceCandidate PieceFormer::too_large(SegmentId id) {
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

void PieceFormer::fail(SegmentId id) {
  const PieceCandidate candidate = too_large(id);
  const std::optional<UnitClass> unit = short_of(candidate.graph.graph);
  const auto in_order = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // line 9 before line 10
  };
  std::set<std::string, decltype(in_order)> lines(in_order);
  for (const Node& node : candidate.graph.graph.nodes) {
    if (unit && node.unit != *unit) continue;
    const std::string place = module_.describe_location(node.location);
    if (!place.empty()) lines.insert(place);
  }
  const std::string where = lines.empty() ? std::string() : *lines.begin();
  if (!unit) {
    throw Error(
        fmt::format("kernel {}: what a thread receives and the tag it waits for do "
                    "not fit one configuration",
                    demangled(kernel_.function.name)),
        where,
        "remove loops, barriers and code between fromThreadOrConst and the tagValue it waits "
        "for");
  }
  const auto u = static_cast<std::size_t>(*unit);
  const std::uint32_t needed = candidate.graph.graph.units_needed()[u];
  throw TooFewUnits(*unit, needed,
                    fmt::format("kernel {} needs {} {} units at once, the grid has {} (lines: {})",
                                demangled(kernel_.function.name), needed, name_of(*unit),
                                options_.units[u], fmt::join(lines, ", ")),
                    where, fmt::format("a grid with more {} units would suffice", name_of(*unit)));
}

}  // namespace raddle::machine::cgra
