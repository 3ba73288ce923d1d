#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "kernel/operand_rules.h"
#include "kernel/text/instruction_printer.h"
#include "kernel/text/lexer.h"
#include "kernel/text/names.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

std::uint64_t natural_alignment(std::uint64_t size) {
  return size == 1 || size == 2 || size == 4 || size == 8 || size == 16 ? size : 1;
}

// --- a function ------------------------------------------------------------------------------------------------------

// A name that ends in a number, for writing r1, r2, r3 as r1-r3.
struct NumberedName {
  std::string_view prefix;
  std::uint64_t number;
};

std::optional<NumberedName> split_number(std::string_view key) {
  const std::size_t digits = key.find_last_not_of("0123456789") + 1;
  const std::string_view number = key.substr(digits);
  if (digits == 0 || number.empty() || number.size() > 9 || (number.size() > 1 && number[0] == '0'))
    return std::nullopt;
  if (key.find_first_of("\"#") != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return NumberedName{key.substr(0, digits), value};
}

template <typename Item>
std::string slot_text(const Item& item, const Item& as_laid_out, const std::string& key) {
  std::string text = fmt::format("{}[{}]", key, item.size);
  if (item.alignment != natural_alignment(item.size))
    text += fmt::format(" align {}", item.alignment);
  if (item.offset != as_laid_out.offset) text += fmt::format(" at {}", item.offset);
  return text;
}

class FunctionPrinter {
 public:
  FunctionPrinter(const ModuleNames& module, const Function& function, const PrintOptions& options)
      : module_(module),
        function_(function),
        options_(options),
        names_(function),
        laid_out_(layout_of(function)) {}

  std::string print(const std::string& key) const {
    std::string text;
    if (function_.linkage != Linkage::kInternal)
      text += fmt::format("{} ", name_of(function_.linkage));
    text += fmt::format("{} {}({})", function_.is_entry ? "kernel" : "function", key,
                        slots(SymbolKind::kParameter, function_.parameters, laid_out_.parameters));
    if (!function_.return_values.empty()) {
      text += " -> (" +
              slots(SymbolKind::kReturnValue, function_.return_values, laid_out_.return_values) +
              ")";
    }
    if (function_.no_return) text += " noreturn";
    if (options_.locations && function_.location != 0)
      text += " !loc " + module_.location(function_.location);
    if (function_.is_declaration) return text + "\n";
    return text + " {\n" + declarations() + blocks() + "}\n";
  }

 private:
  // The function's slots and locals alone, where assign_offsets() would put them.
  static Function layout_of(const Function& function) {
    Function layout;
    layout.parameters = function.parameters;
    layout.return_values = function.return_values;
    layout.call_slots = function.call_slots;
    layout.locals = function.locals;
    assign_offsets(layout);
    return layout;
  }

  std::string slots(SymbolKind kind, const std::vector<Slot>& items,
                    const std::vector<Slot>& layout) const {
    std::string text;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ", ";
      text += slot_text(items[i], layout[i], names_.slot(kind, i));
    }
    return text;
  }

  std::string declarations() const {
    std::string text;
    const auto dimensions = [&](std::string_view word, const std::array<std::uint32_t, 3>& values) {
      if (values != std::array<std::uint32_t, 3>{}) {
        text += fmt::format("  {} {} {} {}\n", word, values[0], values[1], values[2]);
      }
    };
    dimensions("max_threads", function_.max_threads);
    dimensions("required_threads", function_.required_threads);
    if (function_.min_blocks != 0) text += fmt::format("  min_blocks {}\n", function_.min_blocks);
    if (function_.max_registers != 0)
      text += fmt::format("  max_registers {}\n", function_.max_registers);
    for (std::uint32_t i = 0; i < function_.call_slots.size(); ++i) {
      text += "  call_slot " +
              slot_text(function_.call_slots[i], laid_out_.call_slots[i],
                        names_.slot(SymbolKind::kCallSlot, i)) +
              "\n";
    }
    for (std::uint32_t i = 0; i < function_.locals.size(); ++i) {
      text +=
          "  local " +
          slot_text(function_.locals[i], laid_out_.locals[i], names_.slot(SymbolKind::kLocal, i)) +
          "\n";
    }
    for (const std::string& channel : function_.channels)
      text += fmt::format("  channel {}\n", quote_string(channel));
    return text + registers();
  }

  // Registers in the order of their numbers, runs of one type on one line.
  std::string registers() const {
    std::string text;
    const auto& all = function_.registers;
    for (RegisterId id = 0; id < all.size();) {
      const RegisterId begin = id;
      text += fmt::format("  register {} ", name_of(all[id].type));
      while (id < all.size() && all[id].type == all[begin].type) {
        if (id > begin) text += ", ";
        const RegisterId last = last_of_run(id);
        text += names_.register_key(id);
        if (last > id) text += "-" + names_.register_key(last);
        id = last + 1;
      }
      text += "\n";
    }
    return text;
  }

  RegisterId last_of_run(RegisterId first) const {
    const std::string first_key = names_.register_key(first);
    const auto start = split_number(first_key);
    if (!start) return first;
    RegisterId last = first;
    while (last + 1 < function_.registers.size() &&
           function_.registers[last + 1].type == function_.registers[first].type) {
      const std::string key = names_.register_key(last + 1);
      const auto next = split_number(key);
      if (!next || next->prefix != start->prefix ||
          next->number != start->number + (last + 1 - first))
        break;
      ++last;
    }
    return last;
  }

  std::string blocks() const {
    constexpr std::size_t kLocationColumn = 64;
    const InstructionPrinter printer(module_, names_);
    std::string text;
    for (BlockId id = 0; id < function_.blocks.size(); ++id) {
      text += fmt::format("\n{}:\n", names_.block(id));
      for (const Instruction& instruction : function_.blocks[id].instructions) {
        std::string line = "  " + printer.print(instruction);
        if (options_.locations && instruction.location != 0) {
          line.resize(std::max(line.size() + 1, kLocationColumn), ' ');
          line += "!loc " + module_.location(instruction.location);
        }
        text += line + "\n";
      }
    }
    return text;
  }

  const ModuleNames& module_;
  const Function& function_;
  PrintOptions options_;
  FunctionNames names_;
  Function laid_out_;
};

// --- module level ----------------------------------------------------------------------------------------------------

std::string initial_text(const Variable& variable) {
  constexpr std::size_t kBytesPerLine = 32;
  constexpr std::size_t kShortestZeroRun = 16;
  const auto& bytes = variable.initial;
  const auto zeros_from = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < bytes.size() && bytes[end] == std::byte{0}) ++end;
    return end - begin;
  };
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t zeros = zeros_from(i);
    if (zeros >= kShortestZeroRun || (zeros > 0 && i + zeros == bytes.size())) {
      text += fmt::format("  zero {}\n", zeros);
      i += zeros;
      continue;
    }
    std::string line;
    for (std::size_t n = 0; n < kBytesPerLine && i < bytes.size(); ++n, ++i) {
      if (n > 0 && zeros_from(i) >= kShortestZeroRun) break;
      if (n > 0 && n % 4 == 0) line += ' ';
      line += fmt::format("{:02x}", std::to_integer<unsigned>(bytes[i]));
    }
    text += fmt::format("  bytes \"{}\"\n", line);
  }
  return text;
}

std::string relocation_text(const Relocation& relocation) {
  std::string text = fmt::format("  address {} at {} = {}", relocation.bytes, relocation.offset,
                                 relocation.generic ? "generic " : "");
  text += with_offset("@" + quote_name(relocation.symbol), relocation.addend);
  if (relocation.shift != 0) text += fmt::format(" shift {}", relocation.shift);
  return text + "\n";
}

std::string_view kind_text(VariableKind kind) {
  switch (kind) {
    case VariableKind::kData: return "";
    case VariableKind::kTexture: return "texture ";
    case VariableKind::kSampler: return "sampler ";
    case VariableKind::kSurface: return "surface ";
  }
  return "";
}

std::string variable_text(const Variable& variable, const std::string& key) {
  std::string text;
  if (variable.linkage != Linkage::kInternal) text += fmt::format("{} ", name_of(variable.linkage));
  text +=
      fmt::format("{} {}{}[{}]", variable.space == Space::kNone ? "none" : name_of(variable.space),
                  kind_text(variable.kind), key, variable.size);
  if (variable.alignment != natural_alignment(variable.size))
    text += fmt::format(" align {}", variable.alignment);
  if (variable.managed) text += " managed";
  if (variable.initial.empty() && variable.relocations.empty()) return text + "\n";
  text += " {\n" + initial_text(variable);
  for (const Relocation& relocation : variable.relocations) text += relocation_text(relocation);
  return text + "}\n";
}

std::string prototype_text(const Prototype& prototype, const std::string& key) {
  Function layout;
  layout.parameters = prototype.parameters;
  layout.return_values = prototype.return_values;
  assign_offsets(layout);
  const auto list = [](const std::vector<Slot>& items, const std::vector<Slot>& laid_out) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text += ", ";
      text += slot_text(items[i], laid_out[i], quote_name(items[i].name));
    }
    return text;
  };
  std::string text =
      fmt::format("prototype {}({})", key, list(prototype.parameters, layout.parameters));
  if (!prototype.return_values.empty()) {
    text += " -> (" + list(prototype.return_values, layout.return_values) + ")";
  }
  return text + "\n";
}

std::string location_table(const Module& module, const ModuleNames& names) {
  if (module.locations.size() <= 1) return {};
  std::string text = "\nlocations {\n";
  for (std::uint32_t i = 1; i < module.locations.size(); ++i) {
    text += fmt::format("  {} {}\n", i, names.location_entry(i));
  }
  return text + "}\n";
}

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  const ModuleNames names(module);
  std::string text = fmt::format("module {} ptx {}.{} target {}\n", quote_string(module.name),
                                 module.ptx_version / 10, module.ptx_version % 10, module.target);
  for (std::uint32_t i = 1; options.locations && i < module.files.size(); ++i) {
    text += fmt::format("file {} {}\n", names.file(i), quote_string(module.files[i]));
  }
  if (!module.variables.empty()) text += "\n";
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    text += variable_text(module.variables[i], names.variable(i));
  }
  if (!module.prototypes.empty()) text += "\n";
  for (std::uint32_t i = 0; i < module.prototypes.size(); ++i) {
    text += prototype_text(module.prototypes[i], names.prototype(i));
  }
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    text += "\n" + FunctionPrinter(names, module.functions[i], options).print(names.function(i));
  }
  if (options.locations) text += location_table(module, names);
  return text;
}

std::string print(const Module& module, const Function& function, const PrintOptions& options) {
  const ModuleNames names(module);
  return FunctionPrinter(names, function, options).print("@" + quote_name(function.name));
}

struct FunctionText::Parts {
  Parts(const Module& owner, const Function& printed) : module(owner), function(printed) {}

  ModuleNames module;
  FunctionNames function;
  InstructionPrinter printer{module, function};
};

FunctionText::FunctionText(const Module& module, const Function& function)
    : parts_(std::make_unique<Parts>(module, function)) {}

FunctionText::~FunctionText() = default;

std::string FunctionText::instruction(const Instruction& instruction) const {
  return parts_->printer.print(instruction);
}

std::string FunctionText::block(BlockId id) const { return parts_->function.block(id); }

std::string FunctionText::reg(RegisterId id) const { return parts_->function.reg(id); }

std::string FunctionText::symbol(const Operand& operand) const {
  return parts_->printer.symbol(operand);
}

std::string FunctionText::function(std::uint32_t index) const {
  return parts_->module.function(index);
}

}  // namespace raddle::kernel
