// VLIW lines while they are being filled: what stands in each place of the chain, and which slots,
// reads and writes are taken. Every change is noted, so that an attempt that does not fit can be
// taken back.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "lang/e/fiber_graph.h"

namespace raddle::e {

inline constexpr std::uint32_t kLineSlots = 5;
inline constexpr std::uint32_t kLineReads = 4;
inline constexpr std::uint32_t kLineWrites = 4;
// Places of a line in the order of the chain: ALU0–4, memory unit, ALU5–7.
inline constexpr std::uint32_t kMemoryPlace = 5;
inline constexpr std::uint32_t kLinePlaces = 9;

struct LineDraft {
  std::array<NodeId, kLinePlaces> alus;
  std::optional<std::uint32_t> action;
  std::set<FrontOperand> slots;
  std::set<NodeId> reads;   // nodes that come from registers
  std::set<NodeId> writes;  // nodes that later lines need
  std::uint32_t reserved_slots = 0;
  bool no_writes = false;
  std::uint32_t source_line = 0;

  LineDraft() { alus.fill(kNoNode); }
};

struct LinePlace {
  std::uint32_t line = 0;
  std::uint32_t place = 0;
};

class LineDrafts {
 public:
  explicit LineDrafts(const FiberGraph& graph) : graph_(graph), places_(graph.size()) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }
  LineDraft& operator[](std::uint32_t line) { return lines_[line]; }
  const LineDraft& operator[](std::uint32_t line) const { return lines_[line]; }
  std::uint32_t open();
  void drop_last() { lines_.pop_back(); }

  bool is_placed(NodeId id) const { return places_[id].has_value(); }
  const LinePlace& place_of(NodeId id) const { return *places_[id]; }
  void put(NodeId id, LinePlace place);
  void put_alu(NodeId id, LinePlace place);

  // Whether the value can be read at a place of a line; takes the slot, read and write it needs.
  bool take(NodeId id, std::uint32_t line, std::uint32_t place);
  void take_write(std::uint32_t line, NodeId id);

  std::size_t mark() const { return undo_.size(); }
  void go_back(std::size_t mark);

 private:
  void take_slot(std::uint32_t line, const FrontOperand& operand);
  void take_read(std::uint32_t line, NodeId id);

  const FiberGraph& graph_;
  std::vector<LineDraft> lines_;
  std::vector<std::optional<LinePlace>> places_;  // by node
  std::vector<std::function<void()>> undo_;
};

}  // namespace raddle::e
