#include "lang/ctm/directives.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/ctm/operands.h"

namespace raddle::ctm {
namespace {

using machine::overlay::ConstantValue;
using machine::overlay::LoopConstant;
using machine::overlay::RegisterName;
using machine::overlay::Shader;

template <class Numbered>
void refuse_second(const LineCursor& cursor, std::size_t start, const std::vector<Numbered>& known,
                   std::uint8_t number) {
  if (std::ranges::find(known, number, &Numbered::number) != known.end()) {
    cursor.fail(start, "this constant already has a value");
  }
}

// .const c0 1 2 3 4, or one number for all four channels.
void read_constant(LineCursor& cursor, std::size_t start, Shader& shader) {
  ConstantValue constant;
  constant.number = read_numbered(cursor, 'c', "constants", overlay::kConstants);
  refuse_second(cursor, start, shader.constants, constant.number);
  constant.value.fill(cursor.real("a number"));
  if (!cursor.at_end()) {
    for (std::size_t i = 1; i < 4; ++i) constant.value[i] = cursor.real("a number");
  }
  shader.constants.push_back(constant);
}

// .int i0 COUNT [FIRST [STEP]]
void read_loop_constant(LineCursor& cursor, std::size_t start, Shader& shader) {
  LoopConstant loop;
  loop.number = read_numbered(cursor, 'i', "integer constants", overlay::kIntegerConstants);
  refuse_second(cursor, start, shader.loops, loop.number);
  loop.count = static_cast<std::uint8_t>(cursor.number("the count of a loop", 255));
  loop.step = 1;
  if (!cursor.at_end()) loop.first = static_cast<std::uint8_t>(cursor.number("the first aL", 255));
  if (!cursor.at_end()) {
    const bool is_negative = cursor.accept('-');
    const int step = static_cast<int>(cursor.number("the step of aL", is_negative ? 128 : 127));
    loop.step = static_cast<std::int8_t>(is_negative ? -step : step);
  }
  shader.loops.push_back(loop);
}

void read_boolean(LineCursor& cursor, Shader& shader) {
  const unsigned number =
      read_numbered(cursor, 'b', "boolean constants", overlay::kBooleanConstants);
  if (cursor.accept_word("true")) {
    shader.booleans |= 1U << number;
  } else if (!cursor.accept_word("false")) {
    cursor.fail_here("expected true or false");
  }
}

// .name c4 weights 5
void read_name(LineCursor& cursor, Shader& shader) {
  struct Place {
    char letter;
    std::string_view what;
    unsigned count;
    std::vector<RegisterName> Shader::* names;
  };
  static constexpr std::array<Place, 3> kPlaces = {
      {{'c', "constants", overlay::kConstants, &Shader::constant_names},
       {'s', "samplers", overlay::kSamplers, &Shader::sampler_names},
       {'o', "outputs", overlay::kOutputs, &Shader::output_names}}};
  if (cursor.accept_word("depth")) {
    RegisterName name;
    name.number = overlay::kDepthOutput;
    name.name = cursor.name();
    if (name.name.empty()) cursor.fail_here("expected a name");
    shader.output_names.push_back(std::move(name));
    return;
  }
  const char letter = cursor.peek();
  for (const Place& place : kPlaces) {
    if (place.letter != letter) continue;
    RegisterName name;
    const std::size_t start = cursor.position();
    name.number = read_numbered(cursor, letter, place.what, place.count);
    name.name = cursor.name();
    if (name.name.empty()) cursor.fail_here("expected a name");
    if (!cursor.at_end()) {
      name.count = static_cast<std::uint16_t>(cursor.number("how many registers", place.count));
    }
    if (name.count == 0 || name.number + name.count > place.count) {
      cursor.fail(start, fmt::format("only {} {} exist", place.count, place.what));
    }
    (shader.*place.names).push_back(std::move(name));
    return;
  }
  cursor.fail_here("expected a constant, a sampler, an output or depth", "such as .name c0 scale");
}

void read_semaphores(LineCursor& cursor, AssemblyOptions& options) {
  if (cursor.accept_word("manual")) {
    options.automatic_semaphores = false;
  } else if (!cursor.accept_word("auto")) {
    cursor.fail_here("expected auto or manual");
  }
}

LabelUse read_label(LineCursor& cursor) {
  LabelUse use;
  cursor.peek();
  use.start = cursor.position();
  use.line = cursor.line();
  use.label = cursor.word();
  if (use.label.empty()) cursor.fail_here("expected a label");
  return use;
}

}  // namespace

bool read_directive(LineCursor& cursor, std::size_t start, std::string_view name, Shader& shader,
                    AssemblyOptions& options) {
  if (name == "const") {
    read_constant(cursor, start, shader);
  } else if (name == "int") {
    read_loop_constant(cursor, start, shader);
  } else if (name == "bool") {
    read_boolean(cursor, shader);
  } else if (name == "name") {
    read_name(cursor, shader);
  } else if (name == "semaphores") {
    read_semaphores(cursor, options);
  } else if (name == "run") {
    while (!cursor.at_end()) shader.defaults.emplace_back(cursor.argument());
  } else if (name == "entry") {
    options.entry = read_label(cursor);
  } else if (name == "end") {
    options.end = read_label(cursor);
  } else if (name == "temporaries") {
    options.temporaries = static_cast<std::uint16_t>(
        cursor.number("the number of temporaries", overlay::kTemporaries));
  } else {
    return false;
  }
  if (!cursor.at_end()) cursor.fail_here("expected the end of the line");
  return true;
}

}  // namespace raddle::ctm
