#include "lang/ctm/disassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "lang/ctm/assembler.h"
#include "lang/ctm/word_text.h"
#include "machine/overlay/isa.h"

namespace raddle::ctm {
namespace {

using machine::overlay::Instruction;
using machine::overlay::InstructionType;
using machine::overlay::RegisterName;
using machine::overlay::Shader;

// How much is left to the assembler: semaphores, structured flow control, END.
struct Style {
  bool automatic_semaphores;
  bool structured;
};

bool is_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::string directives(const Shader& shader) {
  std::string text;
  for (const auto& constant : shader.constants) {
    const auto& v = constant.value;
    text += fmt::format(".const c{} {} {} {} {}\n", constant.number, v[0], v[1], v[2], v[3]);
  }
  for (const auto& loop : shader.loops) {
    text += fmt::format(".int i{} {} {} {}\n", loop.number, loop.count, loop.first, loop.step);
  }
  for (unsigned number = 0; number < machine::overlay::kBooleanConstants; ++number) {
    if (((shader.booleans >> number) & 1U) != 0) text += fmt::format(".bool b{} true\n", number);
  }
  const auto names = [&](const std::vector<RegisterName>& list, char letter) {
    for (const RegisterName& name : list) {
      const bool is_depth = letter == 'o' && name.number == machine::overlay::kDepthOutput;
      text += is_depth ? fmt::format(".name depth {}", name.name)
                       : fmt::format(".name {}{} {}", letter, name.number, name.name);
      text += name.count > 1 ? fmt::format(" {}\n", name.count) : "\n";
    }
  };
  names(shader.sampler_names, 's');
  names(shader.constant_names, 'c');
  names(shader.output_names, 'o');
  for (const std::string& argument : shader.defaults) text += fmt::format(".run {}\n", argument);
  return text;
}

class Writer {
 public:
  Writer(const Shader& shader, Style style) : shader_(shader), style_(style) {
    has_end_line_ = style.structured && shader.code[shader.end].last;
    find_labels();
  }

  std::string run() {
    std::string text = directives(shader_);
    if (!style_.automatic_semaphores) text += ".semaphores manual\n";
    if (shader_.start != 0) text += fmt::format(".entry {}\n", label(shader_.start));
    const bool is_last = shader_.end + std::size_t{1} == shader_.code.size();
    if (!has_end_line_ && !is_last) text += fmt::format(".end {}\n", label(shader_.end));
    Shader derived = shader_;
    derive_needs(derived);
    if (derived.temporaries != shader_.temporaries) {
      text += fmt::format(".temporaries {}\n", shader_.temporaries);
    }
    text += fmt::format("{}:\n", shader_.name);
    for (std::size_t at = 0; at < shader_.code.size(); ++at) {
      if (labels_.contains(at)) text += label(at) + ":\n";
      text += word(at);
      if (has_end_line_ && at == shader_.end) {
        text += "    END\n";
        was_vector_ = false;
      }
    }
    if (labels_.contains(shader_.code.size())) text += label(shader_.code.size()) + ":\n";
    return text;
  }

 private:
  static std::string label(std::size_t address) { return fmt::format("L{}", address); }

  void find_labels() {
    if (shader_.start != 0) labels_.insert(shader_.start);
    if (!has_end_line_ && shader_.end + std::size_t{1} != shader_.code.size())
      labels_.insert(shader_.end);
    for (const Instruction& word : shader_.code) {
      if (word.type != InstructionType::kFlow) continue;
      const auto text = style_.structured ? flow_text(word) : std::nullopt;
      const bool is_written = text ? text->takes_label : word.flow.jump_address != 0;
      if (is_written && word.flow.jump_address <= shader_.code.size()) {
        labels_.insert(word.flow.jump_address);
      }
    }
  }

  std::string word(std::size_t at) {
    const Instruction& word = shader_.code[at];
    const WordTextOptions options{!style_.automatic_semaphores,
                                  !(has_end_line_ && at == shader_.end)};
    if (word.type == InstructionType::kFlow) return flow(word, options);
    std::string text;
    const std::vector<std::string> lines = word_text(word, options);
    // A lone scalar half must not join the word before.
    const bool is_scalar = is_scalar_line(lines.front());
    if (was_vector_ && is_scalar) text += "    --\n";
    was_vector_ = word.is_alu() && lines.size() == 1 && !is_scalar;
    for (const std::string& line : lines) text += fmt::format("    {}\n", line);
    return text;
  }

  static bool is_scalar_line(const std::string& line) {
    const std::size_t start = line[0] == '(' ? line.find(") ") + 2 : 0;
    return std::islower(static_cast<unsigned char>(line[start])) != 0;
  }

  std::string flow(const Instruction& word, const WordTextOptions& options) {
    was_vector_ = false;
    const auto text = style_.structured ? flow_text(word) : std::nullopt;
    const bool has_label = labels_.contains(word.flow.jump_address);
    const std::string target =
        has_label ? label(word.flow.jump_address) : fmt::format("{}", word.flow.jump_address);
    if (!text) return fmt::format("    {}\n", raw_flow_text(word, target));
    std::string line = text->text;
    if (text->takes_label)
      line.insert(line.find(' ') == std::string::npos ? line.size() : line.find(' '), " " + target);
    return fmt::format("    {}{}\n", line, flags_text(word, options));
  }

  const Shader& shader_;
  Style style_;
  bool has_end_line_ = false;
  bool was_vector_ = false;
  std::set<std::size_t> labels_;
};

bool gives_the_same(const std::string& text, const Shader& shader) {
  try {
    const Shader back = assemble(text, "disassembled");
    if (back.code.size() != shader.code.size() || back.start != shader.start ||
        back.end != shader.end) {
      return false;
    }
    for (std::size_t at = 0; at < back.code.size(); ++at) {
      if (encode(back.code[at]) != encode(shader.code[at])) return false;
    }
    return back.constants == shader.constants && back.loops == shader.loops &&
           back.booleans == shader.booleans && back.temporaries == shader.temporaries;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string disassemble(const Shader& given) {
  Shader shader = given;
  if (!is_name(shader.name)) shader.name = "program";
  constexpr std::array<Style, 3> kStyles = {{{true, true}, {false, true}, {false, false}}};
  std::string text;
  for (const Style& style : kStyles) {
    text = Writer(shader, style).run();
    if (gives_the_same(text, shader)) return text;
  }
  RADDLE_ASSERT(gives_the_same(text, shader));
  return text;
}

std::string word_listing(const Shader& given) {
  Shader shader = given;
  if (!is_name(shader.name)) shader.name = "program";
  std::string text = directives(shader) + ".semaphores manual\n";
  text += fmt::format(".temporaries {}\n", shader.temporaries);
  if (shader.start != 0) text += ".entry start\n";
  text += fmt::format(".end last\n{}:\n", shader.name);
  for (std::size_t at = 0; at < shader.code.size(); ++at) {
    if (at == shader.start && at != 0) text += "start:\n";
    if (at == shader.end) text += "last:\n";
    const Instruction& word = shader.code[at];
    text += "    .word";
    for (const std::uint32_t part : encode(word)) text += fmt::format(" 0x{:08x}", part);
    std::vector<std::string> lines;
    if (word.type == InstructionType::kFlow) {
      const auto flow = flow_text(word);
      lines = {flow ? flow->text : raw_flow_text(word, fmt::format("{}", word.flow.jump_address))};
    } else {
      lines = word_text(word, {});
    }
    text += fmt::format("  // {:3} {}\n", at, fmt::join(lines, " ; "));
  }
  return text;
}

}  // namespace raddle::ctm
