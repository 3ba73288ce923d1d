#include "lang/ctm/assembler.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/stop_token.h"
#include "lang/ctm/alu_lines.h"
#include "lang/ctm/directives.h"
#include "lang/ctm/flow_words.h"
#include "lang/ctm/semaphores.h"
#include "lang/ctm/structure.h"
#include "lang/ctm/tex_lines.h"
#include "machine/overlay/isa.h"

namespace raddle::ctm {
namespace {

using machine::overlay::Instruction;
using machine::overlay::InstructionType;
using machine::overlay::Shader;
using machine::overlay::Words;

class Assembler {
 public:
  Assembler(std::string_view text, const std::string& file) : text_(text), file_(file) {
    shader_.file = file;
  }

  Shader run() {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at <= text_.size(); ++number) {
      const std::size_t stop = std::min(text_.find('\n', at), text_.size());
      lines_.push_back(text_.substr(at, stop - at));
      at = stop + 1;
    }
    for (number = 1; number <= lines_.size(); ++number) {
      throw_if_stopped("assembling");
      LineCursor cursor(file_, number, lines_[number - 1]);
      read_line(cursor);
    }
    return finish();
  }

 private:
  struct JumpUse {
    std::size_t word;
    std::string label;
    LineCursor cursor;
    std::size_t start;
  };
  struct FieldUse {
    std::size_t word;
    FieldValue field;
  };

  void read_line(LineCursor& cursor) {
    while (!cursor.at_end()) {
      const std::size_t start = cursor.position();
      if (cursor.accept('.')) return read_dotted(cursor, start);
      if (cursor.peek() == '-') return read_separator(cursor, start);
      const Guard guard = read_guard(cursor);
      const std::size_t name_start = (cursor.peek(), cursor.position());
      const std::string_view name = cursor.word();
      if (name.empty()) cursor.fail_here("expected an instruction");
      if (cursor.accept(':')) {
        define_label(cursor, start, name);
        continue;
      }
      return read_statement(cursor, name_start, name, guard);
    }
  }

  static Guard read_guard(LineCursor& cursor) {
    Guard guard;
    if (!cursor.accept('(')) return guard;
    guard.invert = cursor.accept('!');
    guard.select = read_predicate(cursor);
    cursor.expect(')', "after the predicate");
    return guard;
  }

  void read_separator(LineCursor& cursor, std::size_t start) {
    cursor.accept('-');
    if (!cursor.accept_here('-') || !cursor.at_end()) {
      cursor.fail(start, "expected an instruction", "a line of two dashes ends a word");
    }
    flush();
  }

  void read_dotted(LineCursor& cursor, std::size_t start) {
    const std::string_view name = cursor.word_here();
    if (name == "word") return read_words(cursor, start);
    if (read_directive(cursor, start, name, shader_, options_)) return;
    static const std::vector<std::string> known = {
        "const", "int", "bool", "name", "semaphores", "entry", "temporaries", "word", "run", "end"};
    cursor.fail(start, fmt::format("unknown directive '.{}'", name), suggestion(name, known));
  }

  void read_words(LineCursor& cursor, std::size_t start) {
    flush();
    Words words;
    for (std::uint32_t& word : words) word = cursor.number("six words of 32 bits", ~0U);
    if (!cursor.at_end()) cursor.fail_here("expected the end of the line");
    const auto instruction = machine::overlay::decode(words);
    if (!instruction) cursor.fail(start, "reserved bits of this word are set");
    push(*instruction, cursor, start);
  }

  void define_label(LineCursor& cursor, std::size_t start, std::string_view name) {
    flush();
    if (!labels_.emplace(name, shader_.code.size()).second) {
      cursor.fail(start, fmt::format("the label '{}' is defined twice", name));
    }
    if (shader_.name.empty()) shader_.name = name;
  }

  void read_statement(LineCursor& cursor, std::size_t start, std::string_view name, Guard guard) {
    if (is_alu_operation(name)) return read_alu(cursor, start, name, guard);
    flush();
    if (is_tex_operation(name)) {
      TexLine line = read_tex_line(cursor, name, guard);
      return push(with_flags(line.word, line.attributes), cursor, start, &line.attributes.fields);
    }
    if (guard.select != overlay::PredicateSelect::kNone) {
      cursor.fail(start, fmt::format("{} cannot be predicated", name),
                  "write the condition after it: IF p.r");
    }
    if (name == "END") return read_end(cursor, start);
    if (name == "NOP") return read_plain(cursor, start, Instruction{}, AttributeSet::kVector);
    read_flow(cursor, start, name);
  }

  void read_alu(LineCursor& cursor, std::size_t start, std::string_view name, Guard guard) {
    AluLine line = read_alu_line(cursor, start, name, guard);
    if (line.half == Half::kVector) {
      flush();
      vector_ = std::move(line);
      return;
    }
    join(std::exchange(vector_, std::nullopt), std::move(line));
  }

  void flush() {
    if (vector_) join(std::exchange(vector_, std::nullopt), std::nullopt);
  }

  void join(const std::optional<AluLine>& vector, const std::optional<AluLine>& scalar) {
    const AluLine& first = vector ? *vector : *scalar;
    std::vector<FieldValue> fields;
    for (const auto* line : {&vector, &scalar}) {
      if (*line)
        fields.insert(fields.end(), (*line)->attributes.fields.begin(),
                      (*line)->attributes.fields.end());
    }
    LineCursor cursor = first.cursor;
    push(join_halves(vector, scalar), cursor, 0, &fields);
  }

  static Instruction with_flags(Instruction word, const Attributes& attributes) {
    word.texture_wait |= attributes.wait;
    word.last |= attributes.last;
    word.nop_after |= attributes.nop;
    word.alu_wait |= attributes.alu_wait;
    word.write_inactive |= attributes.inactive;
    if (word.type == InstructionType::kFlow)
      word.flow.ignore_uncovered |= attributes.ignore_uncovered;
    return word;
  }

  void read_plain(LineCursor& cursor, std::size_t start, Instruction word, AttributeSet set) {
    const Attributes attributes = read_attributes(cursor, set);
    push(with_flags(word, attributes), cursor, start, &attributes.fields);
  }

  void read_end(LineCursor& cursor, std::size_t start) {
    if (!cursor.at_end()) cursor.fail_here("expected the end of the line");
    if (end_) cursor.fail(start, "END appears twice");
    if (structure_.is_open()) structure_.check_closed();
    bool is_target = shader_.code.empty() || shader_.code.back().type == InstructionType::kFlow;
    for (const auto& [label, address] : labels_) {
      is_target = is_target || address == shader_.code.size();
    }
    // Branches end at the word after them; so there must be one.
    if (is_target) push(Instruction{}, cursor, start);
    shader_.code.back().last = true;
    end_ = static_cast<std::uint16_t>(shader_.code.size() - 1);
  }

  void read_flow(LineCursor& cursor, std::size_t start, std::string_view name) {
    const std::size_t word = shader_.code.size();
    if (structure_.take(cursor, start, name, shader_)) {
      const Attributes attributes = read_attributes(cursor, AttributeSet::kFlow);
      shader_.code[word] = with_flags(shader_.code[word], attributes);
      return note(cursor, start, word, &attributes.fields);
    }
    if (name == "FC") {
      Instruction plain;
      plain.type = InstructionType::kFlow;
      return read_plain(cursor, start, plain, AttributeSet::kFlow);
    }
    if (name == "RET")
      return read_plain(cursor, start, return_word(read_condition(cursor)), AttributeSet::kFlow);
    if (name == "CALL" || name == "JUMP") {
      read_label_use(cursor);
      const Condition condition = read_condition(cursor);
      return read_plain(cursor, start, name == "CALL" ? call_word(condition) : jump_word(condition),
                        AttributeSet::kFlow);
    }
    unknown(cursor, start, name);
  }

  void read_label_use(LineCursor& cursor) {
    cursor.peek();
    const std::size_t start = cursor.position();
    std::string label(cursor.word());
    if (label.empty()) cursor.fail_here("expected a label");
    label_uses_.push_back({shader_.code.size(), std::move(label), cursor, start});
  }

  [[noreturn]] static void unknown(const LineCursor& cursor, std::size_t start,
                                   std::string_view name) {
    std::vector<std::string> known;
    for (const auto table :
         {overlay::vector_opcodes(), overlay::scalar_opcodes(), overlay::tex_opcodes()}) {
      for (const overlay::OpcodeInfo& op : table) known.emplace_back(op.name);
    }
    for (const char* other :
         {"MOV", "ADD",    "MUL", "mov",  "add",  "mul", "IF",   "ELSE", "ENDIF", "LOOP", "ENDLOOP",
          "REP", "ENDREP", "BRK", "CONT", "CALL", "RET", "JUMP", "FC",   "NOP",   "END"}) {
      known.emplace_back(other);
    }
    LineCursor place = cursor;
    place.go_to(start + name.size());
    place.fail(start, fmt::format("unknown instruction '{}'", name), suggestion(name, known));
  }

  void push(Instruction word, const LineCursor& cursor, std::size_t start,
            const std::vector<FieldValue>* fields = nullptr) {
    const std::size_t at = shader_.code.size();
    shader_.code.push_back(word);
    note(cursor, start, at, fields);
  }

  // Remembers where the words from `at` on came from and which of their fields are given by name.
  void note(const LineCursor& cursor, std::size_t start, std::size_t at,
            const std::vector<FieldValue>* fields) {
    if (shader_.code.size() > overlay::kMaxInstructions) {
      cursor.fail(start, fmt::format("the program has more than {} instructions",
                                     overlay::kMaxInstructions));
    }
    shader_.lines.resize(shader_.code.size(), cursor.line());
    if (fields == nullptr) return;
    for (const FieldValue& field : *fields) field_uses_.push_back({at, field});
  }

  std::uint32_t label_address(const std::string& label, const LineCursor& cursor,
                              std::size_t start) const {
    const auto found = labels_.find(label);
    if (found != labels_.end()) return static_cast<std::uint32_t>(found->second);
    std::vector<std::string> known;
    for (const auto& [name, address] : labels_) known.push_back(name);
    cursor.fail(start, fmt::format("unknown label '{}'", label), suggestion(label, known));
  }

  void apply(const FieldUse& use) {
    LineCursor cursor(file_, use.field.line, lines_[use.field.line - 1]);
    cursor.go_to(use.field.start + use.field.name.size());
    Instruction& word = shader_.code[use.word];
    const overlay::Field* field = find_field(word.type, use.field.name);
    if (field == nullptr) {
      std::vector<std::string> known;
      for (const overlay::Field& other : overlay::fields()) {
        if (has_field(word.type, other)) known.emplace_back(other.name);
      }
      cursor.fail(use.field.start, fmt::format("this word has no field '{}'", use.field.name),
                  suggestion(use.field.name, known));
    }
    const std::uint32_t value = use.field.label.empty()
                                    ? use.field.value
                                    : label_address(use.field.label, cursor, use.field.start);
    if (value > field->largest()) {
      cursor.fail(use.field.start, fmt::format("{} is at most {}", field->name, field->largest()));
    }
    const InstructionType type = word.type;
    field->put(word, value);
    const auto is_alu = [](InstructionType t) {
      return t == InstructionType::kAlu || t == InstructionType::kOut;
    };
    if (word.type != type && !(is_alu(type) && is_alu(word.type))) {
      cursor.fail(use.field.start, "TYPE changes between 0 (ALU) and 1 (OUT) only");
    }
  }

  std::uint16_t address_of(const LabelUse& use) const {
    LineCursor cursor(file_, use.line, lines_[use.line - 1]);
    cursor.go_to(use.start + use.label.size());
    const std::uint32_t address = label_address(use.label, cursor, use.start);
    if (address >= shader_.code.size()) cursor.fail(use.start, "no instruction follows this label");
    return static_cast<std::uint16_t>(address);
  }

  Shader finish() {
    flush();
    structure_.check_closed();
    if (shader_.code.empty()) {
      throw Error("the program has no instructions", file_);
    }
    for (const JumpUse& use : label_uses_) {
      shader_.code[use.word].flow.jump_address =
          static_cast<std::uint16_t>(label_address(use.label, use.cursor, use.start));
    }
    shader_.end = end_.value_or(static_cast<std::uint16_t>(shader_.code.size() - 1));
    if (!options_.entry.label.empty()) shader_.start = address_of(options_.entry);
    if (!options_.end.label.empty()) shader_.end = address_of(options_.end);
    if (options_.automatic_semaphores) insert_semaphores(shader_);
    for (const FieldUse& use : field_uses_) apply(use);
    if (shader_.name.empty()) shader_.name = std::filesystem::path(file_).stem().string();
    derive_needs(shader_, options_.temporaries);
    return std::move(shader_);
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<std::string_view> lines_;
  Shader shader_;
  AssemblyOptions options_;
  Structure structure_;
  std::optional<AluLine> vector_;
  std::optional<std::uint16_t> end_;
  std::map<std::string, std::size_t, std::less<>> labels_;
  std::vector<JumpUse> label_uses_;
  std::vector<FieldUse> field_uses_;
};

}  // namespace

Shader assemble(std::string_view text, const std::string& file_name) {
  return Assembler(text, file_name).run();
}

}  // namespace raddle::ctm
