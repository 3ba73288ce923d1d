// One word as lines of CTM assembly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/overlay/instruction.h"

namespace raddle::ctm {

struct WordTextOptions {
  bool semaphores = true;  // print wait and acquire
  bool last = true;        // print last
};

// ALU and TEX words, one line or two; assembled alone they give the word. The first line may be
// that of the scalar half.
std::vector<std::string> word_text(const machine::overlay::Instruction& word,
                                   const WordTextOptions& options);

// A word of flow control as the construct that it is, without its jump; nothing where it is none.
struct FlowText {
  std::string text;          // "IF p.r", "CALL"
  bool takes_label = false;  // the jump address is written
};
std::optional<FlowText> flow_text(const machine::overlay::Instruction& word);
// Every field that differs from an empty word of flow control; JUMP_ADDR as the given text.
std::string raw_flow_text(const machine::overlay::Instruction& word, const std::string& target);
// " wait last nop": the flags of a word, each with a blank before it.
std::string flags_text(const machine::overlay::Instruction& word, const WordTextOptions& options);

}  // namespace raddle::ctm
