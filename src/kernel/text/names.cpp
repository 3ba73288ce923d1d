#include "kernel/text/names.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <unordered_map>

#include "kernel/text/lexer.h"

namespace raddle::kernel {
namespace {

std::vector<std::string> make_keys(const std::vector<std::string_view>& names,
                                   bool (*reserved)(std::string_view) = nullptr) {
  std::unordered_map<std::string_view, int> uses;
  for (const std::string_view name : names) ++uses[name];
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i];
    if (name.empty()) {
      keys.push_back(fmt::format("#{}", i));
    } else if (uses[name] > 1 || (reserved != nullptr && reserved(name))) {
      keys.push_back(fmt::format("{}#{}", quote_name(name), i));
    } else {
      keys.push_back(quote_name(name));
    }
  }
  return keys;
}

template <typename Item>
void add_names(std::vector<std::string_view>& names, const std::vector<Item>& items) {
  for (const Item& item : items) names.push_back(item.name);
}

std::string key_at(const std::vector<std::string>& keys, std::size_t index) {
  return index < keys.size() ? keys[index] : fmt::format("?{}", index);
}

bool is_absent_mark(std::string_view name) { return name == "_"; }

// A label for a source file: the last part of its path, as far as it is a word.
std::string file_label(std::string_view path) {
  std::string label(path.substr(path.find_last_of('/') + 1));
  for (char& c : label) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.';
    if (!word) c = '_';
  }
  if (label.empty() || label[0] == '.' || (label[0] >= '0' && label[0] <= '9'))
    label.insert(0, "_");
  return label;
}

}  // namespace

bool is_reserved_register_name(std::string_view name) {
  return name == "_" || special_register_from_name(name).has_value();
}

ModuleNames::ModuleNames(const Module& module) : module_(module) {
  std::vector<std::string_view> symbols;
  add_names(symbols, module.variables);
  add_names(symbols, module.functions);
  symbols_ = make_keys(symbols);

  std::vector<std::string_view> prototypes;
  add_names(prototypes, module.prototypes);
  prototypes_ = make_keys(prototypes);

  std::vector<std::string> labels;
  for (const std::string& path : module.files)
    labels.push_back(path.empty() ? "" : file_label(path));
  files_ = make_keys({labels.begin(), labels.end()});

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>
      first;
  for (std::uint32_t i = 0; i < module.locations.size(); ++i) {
    const SourceLocation& place = module.locations[i];
    canonical_.push_back(
        first.emplace(std::tuple(place.file, place.line, place.column, place.inlined_at), i)
            .second);
  }
}

std::string ModuleNames::variable(std::uint32_t index) const {
  return index < module_.variables.size() ? "@" + symbols_[index] : fmt::format("@?{}", index);
}

std::string ModuleNames::function(std::uint32_t index) const {
  if (index >= module_.functions.size()) return fmt::format("@?{}", index);
  return "@" + symbols_[module_.variables.size() + index];
}

std::string ModuleNames::prototype(std::uint32_t index) const { return key_at(prototypes_, index); }

std::string ModuleNames::file(std::uint32_t index) const { return key_at(files_, index); }

std::string ModuleNames::location(std::uint32_t index) const {
  // Chains deeper than this are cycles of a broken module or too long to be read.
  constexpr int kDeepest = 16;
  std::string text;
  std::uint32_t current = index;
  for (int depth = 0;; ++depth) {
    if (current >= canonical_.size() || !canonical_[current] || depth == kDeepest) {
      return text + fmt::format("#{}", current);
    }
    const SourceLocation& place = module_.locations[current];
    text += fmt::format("{}:{}:{}", file(place.file), place.line, place.column);
    if (place.inlined_at == kNoId) return text;
    text += " in ";
    current = place.inlined_at;
  }
}

std::string ModuleNames::location_entry(std::uint32_t index) const {
  const SourceLocation& place = module_.locations[index];
  std::string text = fmt::format("{}:{}:{}", file(place.file), place.line, place.column);
  if (place.inlined_at != kNoId) text += fmt::format(" in #{}", place.inlined_at);
  return text;
}

FunctionNames::FunctionNames(const Function& function) : function_(function) {
  std::vector<std::string_view> registers;
  add_names(registers, function.registers);
  registers_ = make_keys(registers, is_reserved_register_name);

  std::vector<std::string_view> labels;
  for (const Block& block : function.blocks) labels.push_back(block.label);
  blocks_ = make_keys(labels);

  std::vector<std::string_view> slots;
  add_names(slots, function.parameters);
  add_names(slots, function.return_values);
  add_names(slots, function.call_slots);
  add_names(slots, function.locals);
  slots_ = make_keys(slots, is_absent_mark);
}

std::string FunctionNames::reg(RegisterId id) const { return "%" + register_key(id); }

std::string FunctionNames::register_key(RegisterId id) const { return key_at(registers_, id); }

std::string FunctionNames::block(BlockId id) const { return key_at(blocks_, id); }

std::string FunctionNames::slot(SymbolKind kind, std::uint32_t index) const {
  std::size_t first = 0;
  std::size_t count = function_.parameters.size();
  if (kind != SymbolKind::kParameter) {
    first += count;
    count = function_.return_values.size();
    if (kind != SymbolKind::kReturnValue) {
      first += count;
      count = function_.call_slots.size();
      if (kind != SymbolKind::kCallSlot) {
        first += count;
        count = function_.locals.size();
      }
    }
  }
  return index < count ? slots_[first + index] : fmt::format("?{}", index);
}

}  // namespace raddle::kernel
