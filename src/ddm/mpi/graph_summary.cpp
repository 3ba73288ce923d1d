#include "ddm/mpi/graph_summary.h"

#include <string_view>

namespace raddle::ddm::mpi {
namespace {

// FNV-1a.
class Hash {
 public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) add_byte(value & 0xff);
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  void add(const Extents& extents) {
    for (const auto size : extents.size) add(size);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

void add(Hash& hash, const ThreadTemplate& thread) {
  hash.add(thread.name);
  hash.add(static_cast<std::uint64_t>(thread.kind));
  hash.add(static_cast<std::uint64_t>(thread.indices));
  if (thread.fixed_extents) hash.add(*thread.fixed_extents);
}

void add(Hash& hash, const Arc& arc) {
  hash.add(arc.from);
  hash.add(arc.to);
  hash.add(static_cast<std::uint64_t>(arc.kind));
  for (const auto step : arc.offset) hash.add(static_cast<std::uint64_t>(step));
  hash.add(arc.when ? static_cast<std::uint64_t>(*arc.when) + 1 : 0);
  hash.add(std::uint64_t{arc.again} + 2 * std::uint64_t{static_cast<bool>(arc.carries)});
}

}  // namespace

GraphSummary summary_of(const ProgramGraph& program, const std::vector<Extents>& extents) {
  Hash hash;
  std::size_t threads = 0, arcs = 0;
  for (const auto& block : program.blocks) {
    hash.add(block->name);
    hash.add(block->frame.size);
    hash.add(block->threads.size());
    for (const auto& thread : block->threads) add(hash, thread);
    for (const auto& arc : block->arcs) add(hash, arc);
    threads += block->threads.size();
    arcs += block->arcs.size();
  }
  for (const auto& each : extents) hash.add(each);
  const auto counted = [](std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  return {hash.value(), "program '" + program.blocks.front()->name + "' of " +
                            counted(program.blocks.size(), "block") + " with " +
                            counted(threads, "thread") + " and " + counted(arcs, "arc")};
}

}  // namespace raddle::ddm::mpi
