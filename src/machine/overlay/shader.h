// A program of the overlay as assembler or compiler hand it over: instructions, where it starts and
// ends, and what it knows of the constants and buffers that the host gives it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/overlay/instruction.h"

namespace raddle::machine::overlay {

using Float4 = std::array<float, 4>;

// An integer constant: how often a loop runs, what aL is at first and by how much it goes on.
struct LoopConstant {
  std::uint8_t number = 0;
  std::uint8_t count = 0;
  std::uint8_t first = 0;
  std::int8_t step = 0;
  bool operator==(const LoopConstant&) const = default;
};

struct ConstantValue {
  std::uint8_t number = 0;
  Float4 value{};
  bool operator==(const ConstantValue&) const = default;
};

// A name that a program gives to a register, so that the host need not know the number.
struct RegisterName {
  std::string name;
  std::uint8_t number = 0;
  std::uint16_t count = 1;  // registers in a row: arrays and matrices
  bool operator==(const RegisterName&) const = default;
};

// A constant register that holds width, height and their reciprocals of a sampler's buffer.
struct BufferSize {
  std::uint8_t sampler = 0;
  std::uint8_t constant = 0;
  bool operator==(const BufferSize&) const = default;
};

struct Shader {
  std::string name;
  std::vector<Instruction> code;
  std::uint16_t start = 0;
  std::uint16_t end = 0;                 // the last instruction that is executed
  std::uint16_t temporaries = 1;         // registers r0 to r(n-1) that it uses
  bool full_flow_control = false;        // loops, subroutines, or deep branches
  std::vector<ConstantValue> constants;  // given by the program itself
  std::vector<LoopConstant> loops;
  std::uint32_t booleans = 0;
  std::vector<RegisterName> constant_names;
  std::vector<RegisterName> sampler_names;
  std::vector<RegisterName> output_names;
  std::vector<BufferSize> buffer_sizes;
  bool has_levels = false;            // of its buffers: mipmaps
  std::vector<std::string> defaults;  // how it is run where the user says nothing: "s0=FILE"
  std::string file;                   // for messages
  std::vector<std::uint32_t> lines;   // of each instruction in the file; may be empty
};

}  // namespace raddle::machine::overlay
