// A TEX word made ready for execution: which threads of a batch read which texel, and where what
// comes back is written. Of a buffer with levels TXL reads level Q, and TEX, TXP and TXB the one in
// which neighbours of a batch of 2x2 threads read neighbouring texels, TXB with Q added; always the
// nearest level. The derivatives of TXD are not read: it reads level 0. TXP divides S and T by Q.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/configuration.h"

namespace raddle::machine::overlay {

// What a thread reads: one texel, or four and what each counts.
struct TexelShare {
  std::uint64_t address = 0;  // in texels of host memory
  float weight = 1;
  bool is_border = false;  // outside: counts as 0, though the texel is read
};

struct TexRequest {
  ThreadMask threads = 0;  // that read
  std::array<std::array<TexelShare, 4>, kBatchThreads> shares{};
  std::uint16_t destination = 0;  // register; aL added
  ThreadMask outside = 0;         // threads whose coordinates lie outside the buffer: a fault
};

class TexCode {
 public:
  TexCode(const Instruction& word, const SamplerRegister& sampler);

  bool kills() const { return word_.tex.op == TexOp::kKill; }
  bool loads() const { return word_.tex.op != TexOp::kNop && !kills(); }
  bool divides() const { return word_.tex.op == TexOp::kProject; }
  // Texels that a thread reads.
  unsigned reads() const { return sampler_.filter == Filter::kBilinear ? 4 : 1; }
  TexRequest request(const BatchState& batch) const;
  // Adds what one texel counts to what was read before; the first starts it.
  void add(const TexelShare& share, const Float4& texel, bool is_first, Float4& sum) const;
  // TEXKILL: threads of which any coordinate is below zero produce no output.
  void kill(BatchState& batch) const;
  // The texel of one thread, permuted and masked, into its register.
  void write(const Float4& texel, unsigned thread, std::uint16_t destination,
             BatchState& batch) const;
  // Coordinates S and T of a thread, for messages.
  std::array<float, 2> coordinates(const BatchState& batch, unsigned thread) const;

 private:
  ThreadMask executing(const BatchState& batch) const;
  const Lanes* source(const BatchState& batch) const;
  std::array<float, 2> coordinates(const Lanes* lanes, unsigned thread) const;
  const SamplerRegister& level(const Lanes* lanes, unsigned thread) const;
  static std::optional<TexelShare> share(const SamplerRegister& level, std::int64_t x,
                                         std::int64_t y, float weight);
  bool find(const SamplerRegister& level, float s, float t,
            std::array<TexelShare, 4>& shares) const;

  Instruction word_;
  SamplerRegister sampler_;
  std::vector<SamplerRegister> levels_;
  ChannelMask mask_ = 0;
};

}  // namespace raddle::machine::overlay
