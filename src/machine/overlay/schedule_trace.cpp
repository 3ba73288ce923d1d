#include "machine/overlay/schedule_trace.h"

#include <fmt/format.h>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/opcodes.h"
#include "machine/overlay/slot_cause.h"

namespace raddle::machine::overlay {
namespace {

std::string name_of_word(const Shader& shader, std::size_t at) {
  const Instruction& word = shader.code[at];
  std::string name = "flow control";
  if (word.is_alu()) {
    const OpcodeInfo* vector = info(word.vector.op);
    const OpcodeInfo* scalar = info(word.scalar.op);
    name = fmt::format("{}/{}", vector != nullptr ? vector->name : "?",
                       scalar != nullptr ? scalar->name : "?");
  } else if (word.type == InstructionType::kTex) {
    const OpcodeInfo* tex = info(word.tex.op);
    name = tex != nullptr ? tex->name : "?";
  }
  if (at < shader.lines.size()) return fmt::format("{} (line {})", name, shader.lines[at]);
  return fmt::format("{} ({})", name, at);
}

}  // namespace

ScheduleTrace::ScheduleTrace(sim::TraceFile& file, const OverlayParameters& parameters,
                             const Shader& shader)
    : writer_(file, sim::Clock("overlay", parameters.clock)),
      alu_cycles_(Cycle(3 + kBatchThreads) + parameters.datapath_stages) {
  host_ = writer_.add_track("slave interface");
  const sim::Track port = writer_.add_track("register file");
  reads_ = writer_.add_track("read port", port);
  writes_ = writer_.add_track("write port", port);
  const sim::Track all = writer_.add_track("batch contexts");
  for (std::uint32_t batch = 0; batch < parameters.batches; ++batch) {
    batches_.push_back(writer_.add_track(fmt::format("batch {}", batch), all));
  }
  for (std::size_t i = 0; i < shader.code.size(); ++i) names_.push_back(name_of_word(shader, i));
}

void ScheduleTrace::write_event(const ScheduleEvent& event) {
  using Kind = ScheduleEvent::Kind;
  const sim::Track batch = batches_[event.batch];
  const auto one_cycle = [&](sim::Track track, std::string_view what) {
    writer_.slice(track, fmt::format("{} of batch {}", what, event.batch), event.cycle,
                  event.cycle + Cycle(1));
  };
  const auto point = [&](std::string_view what) {
    writer_.instant(batch, fmt::format("{}{}", names_[event.instruction], what), event.cycle);
  };
  switch (event.kind) {
    case Kind::kStart:
      writer_.slice(host_, kSlotCauses[SlotCause::kConfiguration].name, Cycle(0), event.cycle);
      break;
    case Kind::kReadA:
      one_cycle(reads_, "A");
      writer_.slice(batch, names_[event.instruction], event.cycle, event.cycle + alu_cycles_);
      break;
    case Kind::kReadB: one_cycle(reads_, "B"); break;
    case Kind::kReadC: one_cycle(reads_, "C"); break;
    case Kind::kReadTex:
      one_cycle(reads_, "TEX");
      point("");
      break;
    case Kind::kFlow: point(""); break;
    case Kind::kWriteAlu: one_cycle(writes_, "ALU result"); break;
    case Kind::kWriteTexel:
      one_cycle(writes_, "texels");
      point(": texels written");
      break;
    case Kind::kWriteCoordinates:
      one_cycle(writes_, "coordinates");
      writer_.instant(batch, "begins", event.cycle);
      break;
    case Kind::kRetire: writer_.instant(batch, "ends", event.cycle); break;
    case Kind::kAluReady:
    case Kind::kTexReady: break;
  }
}

void ScheduleTrace::write(Schedule& schedule) {
  for (const ScheduleEvent& event : schedule) write_event(event);
  schedule.clear();
  writer_.flush_some();
}

}  // namespace raddle::machine::overlay
