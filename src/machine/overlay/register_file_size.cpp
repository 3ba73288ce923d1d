#include "machine/overlay/register_file_size.h"

#include <bit>

#include "machine/overlay/batch_state.h"

namespace raddle::machine::overlay {
namespace {

std::uint64_t blocks(std::uint64_t amount, std::uint64_t block) {
  return (amount + block - 1) / block;
}

}  // namespace

RegisterFileSize register_file_size(unsigned batches, unsigned registers_used) {
  RegisterFileSize size;
  size.registers = std::bit_ceil(registers_used);
  size.bytes = std::uint64_t{batches} * kBatchThreads * size.registers * 16;
  size.m_rams = blocks(size.bytes, kMRamBytes);
  size.m4ks = blocks(size.bytes * 8, kM4kBits);
  size.reduction = kTemporaries / size.registers;
  return size;
}

std::uint64_t instruction_store_m4ks(unsigned instructions) {
  return blocks(std::uint64_t{instructions} * 192, kM4kBits);
}

}  // namespace raddle::machine::overlay
