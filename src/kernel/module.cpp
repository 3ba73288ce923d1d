#include "kernel/module.h"

#include <algorithm>

namespace raddle::kernel {
namespace {

// Frames of nested calls lie one after the other, so each ends on a boundary that suits every
// type.
constexpr std::uint32_t kFrameAlignment = 16;

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  const std::uint32_t step = std::max(alignment, 1u);
  return (value + step - 1) / step * step;
}

template <typename Item>
std::uint32_t lay_out(std::vector<Item>& items, std::uint32_t offset) {
  for (Item& item : items) {
    item.offset = round_up(offset, item.alignment);
    offset = item.offset + item.size;
  }
  return offset;
}

template <typename Item>
std::uint32_t end_of(const std::vector<Item>& items) {
  std::uint32_t end = 0;
  for (const Item& item : items) end = std::max(end, item.offset + item.size);
  return end;
}

template <typename Item>
std::uint32_t largest_alignment(const std::vector<Item>& items) {
  std::uint32_t alignment = kFrameAlignment;
  for (const Item& item : items) alignment = std::max(alignment, item.alignment);
  return alignment;
}

template <typename Item>
const Item* find_by_name(const std::vector<Item>& items, std::string_view name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

bool falls_through(const Block& block) {
  if (block.instructions.empty()) return true;
  const Instruction& last = block.instructions.back();
  return !ends_block(last) || last.guard.present();
}

}  // namespace

std::string_view name_of(Linkage linkage) {
  switch (linkage) {
    case Linkage::kInternal: return "internal";
    case Linkage::kVisible: return "visible";
    case Linkage::kWeak: return "weak";
    case Linkage::kCommon: return "common";
    case Linkage::kExtern: return "extern";
  }
  return "internal";
}

std::uint32_t Function::parameter_frame_bytes() const {
  const std::uint32_t end =
      std::max({end_of(parameters), end_of(return_values), end_of(call_slots)});
  return round_up(end, std::max({largest_alignment(parameters), largest_alignment(return_values),
                                 largest_alignment(call_slots)}));
}

std::uint32_t Function::incoming_bytes() const { return end_of(parameters); }

std::uint32_t Function::local_bytes() const {
  return round_up(end_of(locals), largest_alignment(locals));
}

const Function* Module::find_function(std::string_view wanted) const {
  return find_by_name(functions, wanted);
}

const Variable* Module::find_variable(std::string_view wanted) const {
  return find_by_name(variables, wanted);
}

std::string Module::describe_location(std::uint32_t location) const {
  if (location >= locations.size()) return {};
  const SourceLocation& place = locations[location];
  if (place.line == 0 || place.file >= files.size()) return {};
  return files[place.file] + ":" + std::to_string(place.line);
}

void assign_offsets(Function& function) {
  std::uint32_t offset = lay_out(function.parameters, 0);
  offset = lay_out(function.return_values, offset);
  lay_out(function.call_slots, offset);
  lay_out(function.locals, 0);
}

std::vector<BlockId> successors(const Function& function, BlockId index) {
  std::vector<BlockId> result;
  const auto add = [&](BlockId block) {
    if (std::find(result.begin(), result.end(), block) == result.end()) result.push_back(block);
  };
  const Block& block = function.blocks[index];
  if (!block.instructions.empty()) {
    for (const BlockId target : block.instructions.back().targets) add(target);
  }
  if (falls_through(block) && index + 1 < function.blocks.size()) add(index + 1);
  return result;
}

}  // namespace raddle::kernel
