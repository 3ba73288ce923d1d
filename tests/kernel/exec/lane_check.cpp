#include "lane_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

namespace raddle::kernel::exec {

namespace baseline {
LaneFunction select(const Instruction& instruction, OperandSizes sizes);
}
#if defined(__x86_64__)
namespace v3 {
LaneFunction select(const Instruction& instruction, OperandSizes sizes);
}
#endif

namespace {

struct Version {
  const char* name;
  LaneFunction (*select)(const Instruction&, OperandSizes);
};

std::vector<Version> versions() {
  std::vector<Version> list{{"baseline", &baseline::select}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    list.push_back({"v3", &v3::select});
  }
#endif
  return list;
}

int bytes_in_register(Type type) { return type == Type::kPred ? 0 : std::max(2, size_of(type)); }

const std::vector<double>& float_edges() {
  static const std::vector<double> edges{0.0,
                                         1.0,
                                         0.5,
                                         1.5,
                                         2.5,
                                         3.5,
                                         0.25,
                                         2.0,
                                         3.0,
                                         10.0,
                                         0.1,
                                         1.0 / 3,
                                         127.5,
                                         128.0,
                                         255.5,
                                         256.0,
                                         32767.5,
                                         32768.0,
                                         65504.0,
                                         65519.0,
                                         65520.0,
                                         65535.5,
                                         65536.0,
                                         2147483647.0,
                                         2147483648.0,
                                         4294967295.0,
                                         4294967296.0,
                                         0x1p63,
                                         0x1p64,
                                         0x1.fffffffffffffp62,
                                         0x1.fffffep63,
                                         0x1p-14,
                                         0x1p-15,
                                         0x1p-24,
                                         0x1p-25,
                                         0x1.8p-25,
                                         0x1p-126,
                                         0x1p-127,
                                         0x1p-149,
                                         0x1p-150,
                                         0x1.8p-150,
                                         0x1.fffffep127,
                                         0x1.ffffffp127,
                                         0x1p128,
                                         0x1.fep127,
                                         0x1.ffp127,
                                         0x1p-1022,
                                         0x1p-1023,
                                         0x1p-1074,
                                         0x1.fffffffffffffp1023,
                                         1 + 0x1p-23,
                                         1 + 0x1p-24,
                                         1 + 0x1p-25,
                                         1 + 0x1p-52,
                                         1 + 0x1p-10,
                                         1 + 0x1p-11,
                                         1 + 0x1.8p-11,
                                         1 + 0x1p-7,
                                         1 + 0x1p-8,
                                         1 + 0x1.8p-8,
                                         16777217.0,
                                         4503599627370495.5,
                                         std::numeric_limits<double>::infinity(),
                                         std::numeric_limits<double>::quiet_NaN()};
  return edges;
}

std::uint64_t float_pattern(Type type, double value) {
  if (type == Type::kF64) return std::bit_cast<std::uint64_t>(value);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == Type::kF32) return single;
  if (type == Type::kBF16) return single >> 16;
  // f16: only to get interesting operands, so cutting the fraction off is enough.
  const std::uint32_t sign = single >> 16 & 0x8000u;
  const int exponent = static_cast<int>(single >> 23 & 0xff) - 112;
  const std::uint32_t fraction = single >> 13 & 0x3ffu;
  if (std::isnan(value)) return 0x7e00u;
  if (exponent >= 31) return sign | 0x7c00u;
  if (exponent <= 0) return exponent < -10 ? sign : sign | (fraction | 0x400u) >> (1 - exponent);
  return sign | static_cast<std::uint32_t>(exponent) << 10 | fraction;
}

std::uint64_t integer_edge(OperandSource& source, int bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  switch (source.below(8)) {
    case 0: return source.below(70);  // shift amounts and field widths
    case 1: return std::uint64_t{0} - source.below(70);
    case 2: return top - source.below(3);
    case 3: return top + source.below(3);
    case 4: return std::uint64_t{1} << source.below(static_cast<std::uint64_t>(bits));
    case 5: return (std::uint64_t{1} << source.below(static_cast<std::uint64_t>(bits))) - 1;
    case 6: return 0x5555555555555555ull << source.below(2);
    default: return 0xff00ff00ff00ff00ull >> source.below(16);
  }
}

// A register frame for one instruction, every register in a slot of its own.
class Frame {
 public:
  static constexpr std::uint32_t kSlotBytes = 256;

  std::byte* bytes() { return bytes_; }
  static std::uint32_t slot(std::size_t index) {
    return static_cast<std::uint32_t>(index) * kSlotBytes;
  }
  std::uint64_t get(std::size_t index, Type type, int lane) const {
    if (type == Type::kPred) {
      LaneMask mask = 0;
      std::memcpy(&mask, bytes_ + slot(index), sizeof(mask));
      return mask >> lane & 1;
    }
    std::uint64_t bits = 0;
    const int size = bytes_in_register(type);
    std::memcpy(&bits, bytes_ + slot(index) + lane * size, static_cast<std::size_t>(size));
    return bits;
  }
  void set(std::size_t index, Type type, int lane, std::uint64_t bits) {
    if (type == Type::kPred) {
      LaneMask mask = 0;
      std::memcpy(&mask, bytes_ + slot(index), sizeof(mask));
      mask = (mask & ~(LaneMask{1} << lane)) | static_cast<LaneMask>(bits & 1) << lane;
      std::memcpy(bytes_ + slot(index), &mask, sizeof(mask));
      return;
    }
    const int size = bytes_in_register(type);
    std::memcpy(bytes_ + slot(index) + lane * size, &bits, static_cast<std::size_t>(size));
  }

 private:
  alignas(64) std::byte bytes_[kSlotBytes * 8]{};
};

// Where sources and destinations lie: sources first, then destinations (in place: the first
// destination is source 0).
class Trial {
 public:
  Trial(const LaneCase& lane_case, const Version& version, OperandSource& operands, bool in_place)
      : case_(lane_case), version_(version), in_place_(in_place) {
    decoded_.ir = &case_.instruction;
    decoded_.handler = Handler::kLaneLoop;
    decoded_.destination_count = static_cast<std::uint8_t>(case_.destinations.size());
    decoded_.source_count = static_cast<std::uint8_t>(case_.sources.size());
    for (std::size_t i = 0; i < case_.sources.size(); ++i) decoded_.source[i] = Frame::slot(i);
    for (std::size_t i = 0; i < case_.destinations.size(); ++i)
      decoded_.destination[i] = Frame::slot(destination(i));
    OperandSizes sizes;
    sizes.destination = bytes_in_register(case_.destinations[0]);
    sizes.source = bytes_in_register(case_.sources[0]);
    decoded_.element_bytes = static_cast<std::uint8_t>(sizes.source);
    decoded_.register_bytes = static_cast<std::uint8_t>(sizes.destination);
    decoded_.lanes = version.select(case_.instruction, sizes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (std::size_t i = 0; i < case_.sources.size(); ++i) {
        std::uint64_t bits = operands.value(case_.sources[i]);
        if (i > 0 && case_.sources[i] == case_.sources[0] && operands.below(8) == 0)
          bits = frame_.get(0, case_.sources[0], lane);
        frame_.set(i, case_.sources[i], lane, bits);
      }
      for (std::size_t i = 0; i < case_.destinations.size(); ++i) {
        if (!(in_place_ && i == 0))
          frame_.set(destination(i), case_.destinations[i], lane, operands.bits());
      }
    }
  }

  bool selected() const { return decoded_.lanes != nullptr; }

  // The first difference in words; empty if there is none.
  std::string run(LaneMask mask) {
    const Frame before = frame_;
    decoded_.lanes(decoded_, frame_.bytes(), mask);
    for (int lane = 0; lane < kLanes; ++lane) {
      Operands operands{};
      for (std::size_t i = 0; i < case_.sources.size(); ++i)
        operands[i] = before.get(i, case_.sources[i], lane);
      const bool active = (mask >> lane & 1) != 0;
      const Results expected = active ? case_.oracle(operands) : Results{};
      for (std::size_t i = 0; i < case_.destinations.size(); ++i) {
        const Type type = case_.destinations[i];
        const std::uint64_t found = frame_.get(destination(i), type, lane);
        const std::uint64_t wanted = active ? expected[i] : before.get(destination(i), type, lane);
        if (active ? same_value(type, found, wanted) : found == wanted) continue;
        return fmt::format(
            "{} ({}{}) lane {} {}: operands {:#x} {:#x} {:#x} {:#x}: destination {} is {:#x}, "
            "expected {:#x}",
            case_.name, version_.name, in_place_ ? ", in place" : "", lane,
            active ? "active" : "idle", operands[0], operands[1], operands[2], operands[3], i,
            found, wanted);
      }
    }
    return {};
  }

 private:
  std::size_t destination(std::size_t i) const {
    return in_place_ && i == 0 ? 0 : case_.sources.size() + i;
  }

  const LaneCase& case_;
  const Version& version_;
  bool in_place_;
  DecodedInstruction decoded_;
  Frame frame_;
};

}  // namespace

std::uint64_t OperandSource::value(Type type) {
  if (type == Type::kPred) return bits() & 1;
  if (type == Type::kF16x2) return value(Type::kF16) << 16 | value(Type::kF16);
  if (type == Type::kBF16x2) return value(Type::kBF16) << 16 | value(Type::kBF16);
  const int bytes = std::max(2, size_of(type));
  const std::uint64_t shape = below(8);
  if (!is_float(type)) {
    return truncated(shape < 4   ? integer_edge(*this, std::max(8, size_of(type) * 8))
                     : shape < 6 ? bits() >> below(64)
                                 : bits(),
                     bytes);
  }
  if (shape < 3) {
    const double edge = float_edges()[below(float_edges().size())];
    return float_pattern(type, below(2) == 0 ? edge : -edge);
  }
  if (shape < 4) return truncated(bits(), bytes);
  // Moderate sizes, so that sums cancel and round; some with few fraction bits, so that ties
  // happen.
  const double scale = std::ldexp(1.0, static_cast<int>(below(40)) - 20);
  const double fraction =
      shape < 6 ? static_cast<double>(bits() >> 11) * 0x1p-53 : static_cast<double>(below(64)) / 16;
  return float_pattern(type, (below(2) == 0 ? 1 : -1) * fraction * scale);
}

void check_lanes(const LaneCase& lane_case, int rounds) {
  std::uint64_t seed = 1;
  for (char c : lane_case.name) seed = seed * 31 + static_cast<unsigned char>(c);
  const bool may_alias = lane_case.destinations[0] != Type::kPred &&
                         lane_case.sources[0] != Type::kPred &&
                         size_of(lane_case.destinations[0]) == size_of(lane_case.sources[0]);
  for (const Version& version : versions()) {
    OperandSource operands(seed);
    for (int round = 0; round < rounds; ++round) {
      const bool in_place = may_alias && round % 4 == 3;
      auto trial = std::make_unique<Trial>(lane_case, version, operands, in_place);
      ASSERT_TRUE(trial->selected()) << lane_case.name << " has no loop in " << version.name;
      const LaneMask mask = round % 3 == 2 ? static_cast<LaneMask>(operands.bits()) : kAllLanes;
      const std::string difference = trial->run(mask);
      ASSERT_EQ(difference, "");
    }
  }
}

std::int64_t sign_extended(std::uint64_t bits, int bytes) {
  const int shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}
std::uint64_t truncated(std::uint64_t bits, int bytes) {
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}
float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

bool same_value(Type type, std::uint64_t a, std::uint64_t b) {
  if (a == b) return true;
  auto nan16 = [](std::uint64_t bits, std::uint64_t infinity) {
    return (bits & 0x7fff) > infinity;
  };
  switch (type) {
    case Type::kF32: return std::isnan(as_float(a)) && std::isnan(as_float(b));
    case Type::kF64: return std::isnan(as_double(a)) && std::isnan(as_double(b));
    case Type::kF16: return nan16(a, 0x7c00) && nan16(b, 0x7c00);
    case Type::kBF16: return nan16(a, 0x7f80) && nan16(b, 0x7f80);
    case Type::kF16x2:
      return same_value(Type::kF16, a & 0xffff, b & 0xffff) &&
             same_value(Type::kF16, a >> 16, b >> 16);
    case Type::kBF16x2:
      return same_value(Type::kBF16, a & 0xffff, b & 0xffff) &&
             same_value(Type::kBF16, a >> 16, b >> 16);
    default: return false;
  }
}

Instruction instruction_of(Opcode opcode, Type type,
                           const std::function<void(Instruction&)>& modify) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.type = type;
  if (modify) modify(instruction);
  return instruction;
}

}  // namespace raddle::kernel::exec
