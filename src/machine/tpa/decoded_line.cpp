#include "machine/tpa/decoded_line.h"

namespace raddle::machine::tpa {

namespace {

AluCommand alu_command(const Subinstruction& part) {
  return {static_cast<AluOperation>(part.operation),
          part.number,
          {part.operands[0], part.operands[1], part.operands[2]}};
}

}  // namespace

DecodedLine decode_line(const Line& line) {
  DecodedLine decoded;
  decoded.place = line.place;
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
  return decoded;
}

}  // namespace raddle::machine::tpa
