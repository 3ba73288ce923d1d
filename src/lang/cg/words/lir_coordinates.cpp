#include "lang/cg/words/lir_coordinates.h"

#include <algorithm>
#include <vector>

namespace raddle::cg {
namespace {

struct Cluster {
  Refs refs;
  std::size_t first_use;
  std::vector<ValueId> texels;
};

// Strictly: what is new in the cluster comes from a value that is in it already. Else what is in
// both must be a number that changes, which would have to be copied each time.
bool fits_cluster(const IrProgram& program, const Cluster& cluster, const Ref& a, const Ref& b,
                  const std::map<ValueId, std::size_t>& defined, bool strictly) {
  std::size_t size = cluster.refs.size();
  bool shares = false;
  bool fits = true;
  for (const Ref& ref : {a, b}) {
    const auto at = defined.find(ref.index);
    fits = fits && (at == defined.end() || at->second < cluster.first_use);
    if (std::ranges::find(cluster.refs, ref) != cluster.refs.end()) {
      const bool changes = at != defined.end() || program.values[ref.index].op == IrOp::kCell;
      shares = shares || strictly || changes;
      continue;
    }
    ++size;
    if (strictly) {
      fits = fits && std::ranges::any_of(
                         cluster.refs, [&](const Ref& known) { return known.index == ref.index; });
    }
  }
  return fits && shares && size <= 4;
}

}  // namespace

// TEX reads both coordinates from one register. Coordinates that share a number are gathered into
// the same register, up to four numbers, as soon as all of them are there.
void plan_coordinates(const IrProgram& program, const Region& region,
                      std::map<ValueId, Refs>& planned) {
  std::vector<Cluster> clusters;
  std::map<ValueId, std::size_t> defined;
  for (std::size_t n = 0; n < region.size(); ++n) {
    if (region[n].kind != NodeKind::kValue) {
      clusters.clear();  // only within a stretch without jumps
      continue;
    }
    const ValueId id = region[n].value;
    defined[id] = n;
    const IrValue& value = program.values[id];
    const Ref a = value.sources[0].refs[0];
    const Ref b = value.sources[0].refs[1];
    const bool gathers = value.op == IrOp::kTex && value.width == 2 && a.is_value() &&
                         b.is_value() && a.index != b.index;
    if (!gathers) continue;
    Cluster* joined = nullptr;
    for (const bool strictly : {true, false}) {
      for (Cluster& cluster : clusters) {
        if (joined != nullptr || !fits_cluster(program, cluster, a, b, defined, strictly)) continue;
        joined = &cluster;
        for (const Ref& ref : {a, b}) {
          if (std::ranges::find(cluster.refs, ref) == cluster.refs.end())
            cluster.refs.push_back(ref);
        }
      }
    }
    if (joined == nullptr) joined = &clusters.emplace_back(Cluster{{a, b}, n, {}});
    joined->texels.push_back(id);
    for (const ValueId texel : joined->texels) planned[texel] = joined->refs;
  }
}

}  // namespace raddle::cg
