#include "machine/tpa/decoded_line.h"

#include <algorithm>

namespace raddle::machine::tpa {

namespace {

AluCommand alu_command(const Subinstruction& part) {
  return {static_cast<AluOperation>(part.operation),
          part.number,
          {part.operands[0], part.operands[1], part.operands[2]}};
}

Cycle cycles_of(FloatUnit unit, const FloatParameters& floats) {
  switch (unit) {
    case FloatUnit::kArithmetic: return floats.arithmetic_cycles;
    case FloatUnit::kDivide: return floats.divide_cycles;
    case FloatUnit::kRoot: return floats.root_cycles;
    case FloatUnit::kCompare: return floats.compare_cycles;
    case FloatUnit::kConvert: return floats.convert_cycles;
    case FloatUnit::kNone: break;
  }
  return Cycle(1);
}

// The delay of each result along its chain: an integer ALU has its cycle in the pipeline's stages,
// a floating-point unit takes as many more as it is longer.
class Delays {
 public:
  explicit Delays(const FloatParameters& floats) : floats_(floats) {}

  void run(const std::vector<AluCommand>& commands) {
    for (const AluCommand& command : commands) {
      Cycle at;
      for (std::uint32_t i = 0; i < operands_of(command.operation); ++i)
        at = std::max(at, of(command.operands[i]));
      alus_[command.unit] = at + cycles_of(float_unit_of(command.operation), floats_) - Cycle(1);
    }
  }
  Cycle of(const Operand& operand) const {
    const bool is_alu = operand.source == Source::kAlu || operand.source == Source::kFrontAlu;
    if (is_alu) return alus_[operand.number];
    return operand.source == Source::kMemory ? memory_ : Cycle(0);
  }
  // What the memory unit does not read goes on in parallel with it (EP 2887207): its results have
  // so much more time.
  void pass_memory(Cycle memory, Cycle segment) {
    memory_ = memory;
    for (Cycle& at : alus_) at = std::max(memory, at > segment ? at - segment : Cycle(0));
  }

 private:
  const FloatParameters& floats_;
  std::array<Cycle, kAlus> alus_{};
  Cycle memory_;
};

void set_delays(DecodedLine& line, const TpaParameters& parameters) {
  Delays front(parameters.floats);
  front.run(line.front_alus);
  for (const AluCommand& command : line.front_alus)
    line.front_delay = std::max(line.front_delay, front.of({Source::kFrontAlu, command.unit, 0}));
  Delays back(parameters.floats);
  back.run(line.before);
  if (line.memory)
    for (const Operand& operand : line.memory->operands)
      line.memory_delay = std::max(line.memory_delay, back.of(operand));
  back.pass_memory(line.memory_delay, parameters.back.memory_segment);
  back.run(line.after);
  line.write_delay = line.memory_delay;
  for (const RegisterWrite& write : line.writes)
    line.write_delay = std::max(line.write_delay, back.of(write.value));
  if (line.reply) line.write_delay = std::max(line.write_delay, back.of(*line.reply));
}

}  // namespace

DecodedLine decode_line(const Line& line, const TpaParameters& parameters) {
  DecodedLine decoded;
  decoded.place = line.place;
  decoded.mask = line.mask;
  decoded.splits = line.splits;
  for (const Subinstruction& part : line.parts) {
    switch (part.unit) {
      case Unit::kSlot: decoded.slots.push_back(part); break;
      case Unit::kFrontAlu: decoded.front_alus.push_back(alu_command(part)); break;
      case Unit::kFrontMemory: decoded.front_memory = part; break;
      case Unit::kFrontWrite:
        decoded.front_writes.push_back({part.number, part.operands[0]});
        break;
      case Unit::kRead: decoded.reads.push_back(part.number); break;
      case Unit::kAlu:
        (part.number < kAlusBeforeMemory ? decoded.before : decoded.after)
            .push_back(alu_command(part));
        break;
      case Unit::kMemory:
        decoded.memory =
            MemoryCommand{static_cast<MemoryOperation>(part.operation), part.op, part.operands};
        break;
      case Unit::kWrite: decoded.writes.push_back({part.number, part.operands[0]}); break;
      case Unit::kReply: decoded.reply = part.operands[0]; break;
      case Unit::kLayout: decoded.registers = part.number; break;
      case Unit::kControl: decoded.control = part; break;
      case Unit::kSwitch: decoded.switches = true; break;
    }
  }
  decoded.has_backend = !decoded.reads.empty() || !decoded.before.empty() || decoded.memory ||
                        !decoded.after.empty() || !decoded.writes.empty() || decoded.reply;
  set_delays(decoded, parameters);
  return decoded;
}

}  // namespace raddle::machine::tpa
