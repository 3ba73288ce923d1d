#include "lang/e/fiber_drafts.h"

namespace raddle::e {

std::uint32_t LineDrafts::open() {
  lines_.emplace_back();
  return size() - 1;
}

void LineDrafts::take_slot(std::uint32_t line, const FrontOperand& operand) {
  if (!lines_[line].slots.insert(operand).second) return;
  undo_.emplace_back([this, line, operand] { lines_[line].slots.erase(operand); });
}

void LineDrafts::take_read(std::uint32_t line, NodeId id) {
  if (!lines_[line].reads.insert(id).second) return;
  undo_.emplace_back([this, line, id] { lines_[line].reads.erase(id); });
}

void LineDrafts::take_write(std::uint32_t line, NodeId id) {
  if (!lines_[line].writes.insert(id).second) return;
  undo_.emplace_back([this, line, id] { lines_[line].writes.erase(id); });
}

void LineDrafts::put(NodeId id, LinePlace place) {
  places_[id] = place;
  undo_.emplace_back([this, id] { places_[id].reset(); });
}

void LineDrafts::put_alu(NodeId id, LinePlace place) {
  put(id, place);
  lines_[place.line].alus[place.place] = id;
  undo_.emplace_back([this, place] { lines_[place.line].alus[place.place] = kNoNode; });
}

void LineDrafts::go_back(std::size_t mark) {
  while (undo_.size() > mark) {
    undo_.back()();
    undo_.pop_back();
  }
}

bool LineDrafts::take(NodeId id, std::uint32_t line, std::uint32_t place) {
  const LineDraft& draft = lines_[line];
  const FiberNode& node = graph_.node(id);
  switch (node.kind) {
    case FiberNode::Kind::kFiberId: return true;
    case FiberNode::Kind::kFront:
      take_slot(line, node.front);
      return draft.slots.size() + draft.reserved_slots <= kLineSlots;
    case FiberNode::Kind::kVariable: take_read(line, id); return draft.reads.size() <= kLineReads;
    default: break;
  }
  if (!is_placed(id)) return false;
  const LinePlace from = place_of(id);
  if (from.line == line) return from.place < place;
  if (from.line > line) return false;
  take_write(from.line, id);
  take_read(line, id);
  return draft.reads.size() <= kLineReads;
}

}  // namespace raddle::e
