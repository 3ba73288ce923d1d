// An ALU word made ready for execution on a batch: which channels come from where, which lanes are
// computed and written. Execution gives the results apart from writing them, because the machine
// writes them when they leave the datapath.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/float_ops.h"
#include "machine/overlay/instruction.h"

namespace raddle::machine::overlay {

// What an ALU instruction of a batch has computed and will write.
struct AluResult {
  std::array<Lanes, 4> channels{};             // r, g, b, a
  std::array<ThreadMask, 4> written{};         // threads whose channel is written at all
  std::array<std::uint16_t, 2> destination{};  // register of r, g, b and of a; aL added
};

class AluCode {
 public:
  explicit AluCode(const Instruction& word);

  // Constants are [number * 4 + channel], the same value in every lane.
  AluResult execute(const BatchState& batch, std::span<const Lanes> constants,
                    const FloatOptions& options) const;
  // Writes temporaries, outputs, predicates and the ALU result.
  void write(const AluResult& result, BatchState& batch) const;

 private:
  struct Source {
    enum class Kind : std::uint8_t { kTemporary, kConstant, kInline };
    Kind kind = Kind::kInline;
    bool relative = false;
    std::uint8_t number = 0;
    Lanes value{};  // inline
  };
  using Sources = std::array<std::array<const Lanes*, 4>, 4>;  // source 0 to 2 and presubtract

  template <class Unit>
  AluResult compute(const BatchState& batch, std::span<const Lanes> constants) const;
  template <class Unit>
  void vector_half(const std::array<std::array<Lanes, 4>, 3>& operands, AluResult& result) const;
  template <class Unit>
  void scalar_half(const std::array<std::array<Lanes, 4>, 3>& operands, AluResult& result) const;
  template <class Unit>
  void presubtract(Sources& sources, std::array<Lanes, 4>& space) const;
  void find_sources(const BatchState& batch, std::span<const Lanes> constants,
                    Sources& sources) const;
  void finish(AluResult& result, const BatchState& batch) const;
  void write_register(const AluResult& result, BatchState& batch) const;
  void write_tests(const AluResult& result, BatchState& batch) const;

  Instruction word_;
  std::array<Source, 3> vector_sources_, scalar_sources_;
  bool uses_presubtract_ = false;
  bool computes_vector_ = true, computes_scalar_ = true, modifies_vector_ = true;
};

}  // namespace raddle::machine::overlay
