#include "machine/overlay/slave_interface.h"

#include <bit>

namespace raddle::machine::overlay {

SlaveWrites slave_writes(const Configuration& configuration) {
  constexpr std::uint64_t kProgramRegisters = 3;  // first and last instruction, mode
  constexpr std::uint64_t kDomainRegisters = 4;   // place and size
  constexpr std::uint64_t kOutputRegisters = 2;   // base and width
  constexpr std::uint64_t kSamplerRegisters = 3;  // base, width and height
  constexpr std::uint64_t kBooleanRegisters = 1;
  constexpr std::uint64_t kStart = 1;
  SlaveWrites writes;
  const Shader& shader = configuration.shader;
  writes.instructions = shader.code.size();
  for (const Float4& constant : configuration.constants) {
    if (constant != Float4{}) ++writes.constants;
  }
  const auto outputs = static_cast<unsigned>(std::popcount(outputs_written(shader)));
  writes.registers = kProgramRegisters + kDomainRegisters + kBooleanRegisters + kStart +
                     outputs * kOutputRegisters;
  for (const LoopConstant& loop : configuration.loops) {
    if (loop != LoopConstant{}) ++writes.registers;
  }
  for (const SamplerRegister& sampler : configuration.samplers) {
    if (sampler.bound) writes.registers += kSamplerRegisters;
  }
  return writes;
}

}  // namespace raddle::machine::overlay
