#include "machine/overlay/overlay_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machine/overlay/register_file_size.h"

namespace raddle::machine::overlay {
namespace {

using kernel::InstructionClass;

bool is_special(ScalarOp op) { return op >= ScalarOp::kEx2 && op <= ScalarOp::kCos; }

InstructionClass class_of(const Instruction& word) {
  switch (word.type) {
    case InstructionType::kTex: return InstructionClass::kTexture;
    case InstructionType::kFlow: return InstructionClass::kControl;
    default:
      return is_special(word.scalar.op) ? InstructionClass::kSpecial : InstructionClass::kFloat32;
  }
}

void add_instructions(const Processor& processor, const Shader& shader, LaunchResult& result) {
  const auto& counts = processor.counts().instructions;
  for (std::size_t at = 0; at < counts.size(); ++at) {
    const auto place = static_cast<std::size_t>(class_of(shader.code[at]));
    result.warp_instructions += counts[at].batches;
    result.thread_instructions += counts[at].threads;
    result.warp_instructions_by_class[place] += counts[at].batches;
    result.thread_instructions_by_class[place] += counts[at].threads;
  }
}

// Each context has its share of a slot.
std::vector<Stall> stalls_of_slots(const SlotAccount& account, std::uint32_t contexts) {
  std::vector<Stall> stalls = stalls_of(account);
  for (Stall& stall : stalls) stall.cycles /= contexts;
  return stalls;
}

void add_memory(const Processor& processor, LaunchResult& result) {
  const LinkCounts& link = processor.link_counts();
  MemoryTraffic traffic;
  traffic.level = "host memory";
  traffic.outermost = true;
  traffic.load_instructions = processor.counts().tex_issued;
  traffic.load_accesses = link.reads;
  traffic.store_accesses = link.writes;
  traffic.bytes_read = link.reads * 16;
  traffic.bytes_written = link.writes * 16;
  result.memory.push_back(std::move(traffic));
}

void add_utilisation(const Processor& processor, const OverlayParameters& parameters,
                     LaunchResult& result) {
  const ProcessorCounts& counts = processor.counts();
  // What units do while the program runs; the configuration is before that.
  const double cycles = counts.run_cycles().as_double();
  const double picoseconds = cycles * 1e12 / parameters.clock.count();
  const LinkCounts& link = processor.link_counts();
  // Links and pipelines are booked ahead: of a run that was stopped, beyond its end.
  const auto add = [&](const char* name, double busy, double capacity) {
    result.utilisation.push_back({name, std::min(busy, capacity), capacity});
  };
  add("ALU datapath", 4.0 * static_cast<double>(counts.alu_issued), cycles);
  add("TEX datapath", 4.0 * static_cast<double>(counts.tex_issued), cycles);
  add("link from host", link.in_busy.as_double(), picoseconds);
  add("link to host", link.out_busy.as_double(), picoseconds);
  add("register write port",
      static_cast<double>(counts.writes_alu + counts.writes_texel + counts.writes_coordinates),
      cycles);
}

void add_stats(const Processor& processor, const OverlayParameters& parameters,
               const Shader& shader, LaunchResult& result) {
  const ProcessorCounts& counts = processor.counts();
  const LinkCounts& link = processor.link_counts();
  const auto add = [&](const char* component, const char* name, const char* unit,
                       const char* sentence, double value) {
    result.stats.push_back({component, name, unit, sentence, value});
  };
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  std::uint64_t alu = 0;
  for (std::size_t at = 0; at < shader.code.size(); ++at) {
    if (shader.code[at].is_alu()) alu += counts.instructions[at].batches;
  }
  add("issue", "alu", "batch instructions", "ALU instructions that issued", number(alu));
  add("issue", "tex", "batch instructions", "TEX instructions that issued",
      number(counts.tex_issued));
  const auto& flow = counts.flow_issued;
  add("issue", "flow", "batch instructions", "flow-control instructions that issued",
      number(flow[0] + flow[1] + flow[2] + flow[3]));
  add("issue", "flow_beside_b", "batch instructions",
      "of these, while an operand B was read or could be", number(flow[1]));
  add("issue", "flow_beside_c", "batch instructions",
      "of these, while an operand C was read or could be", number(flow[2]));
  add("issue", "first_alu_thread", "cycles",
      "from the beginning of a period until its ALU instruction's first thread enters the datapath",
      counts.first_alu_thread.as_double());
  add("issue", "first_tex_thread", "cycles",
      "from the beginning of a period until its TEX instruction's first thread enters the datapath",
      counts.first_tex_thread.as_double());
  add("register_file", "texel_writes", "writes",
      "results of TEX instructions written, four threads at once", number(counts.writes_texel));
  add("register_file", "alu_writes", "writes", "results of the datapath written",
      number(counts.writes_alu));
  add("register_file", "port_waits", "cycles",
      "results of TEX and coordinates waited for the write port", counts.port_waits.as_double());
  add("link", "reads", "packets", "texels read", number(link.reads));
  add("link", "writes", "packets", "posted writes", number(link.writes));
  if (link.reads > 0) {
    add("link", "read_latency", "ns", "mean time of a read, waiting for the link included",
        link.read_latency.as_double() / number(link.reads) / 1000);
    add("link", "least_read_latency", "ns", "shortest time of a read",
        link.least_latency.as_double() / 1000);
  }
  add("output", "waits", "cycles", "batches that had ended waited for the output FIFO",
      counts.output_waits.as_double());
  add("configuration", "bytes", "bytes", "instructions, constants and registers from the host",
      counts.configuration_bytes.as_double());
  add("configuration", "cycles", "cycles", "until they are written and the program starts",
      counts.configuration_cycles.as_double());
  add("run", "cycles", "cycles", "from the start until the last posted write has left",
      counts.run_cycles().as_double());
  const RegisterFileSize whole = register_file_size(parameters.batches, kTemporaries);
  const RegisterFileSize cut = register_file_size(parameters.batches, shader.temporaries);
  add("register_file", "used", "registers", "temporaries that the program uses",
      shader.temporaries);
  add("register_file", "bytes", "bytes", "central register file with all registers",
      number(whole.bytes));
  add("register_file", "m_rams", "blocks", "M-RAM blocks of 64 KB for it", number(whole.m_rams));
  add("register_file", "cut_bytes", "bytes",
      "with the registers that the program uses, rounded up to a power of two", number(cut.bytes));
  add("register_file", "cut_m_rams", "blocks", "M-RAM blocks of 64 KB for these",
      number(cut.m_rams));
  add("register_file", "cut_m4ks", "blocks", "or M4K blocks of 4 Kbit", number(cut.m4ks));
  add("register_file", "reduction", "ratio", "all registers over those", cut.reduction);
  add("instruction_store", "m4ks", "blocks", "M4K blocks of 4 Kbit for 512 instructions",
      number(instruction_store_m4ks(kMaxInstructions)));
}

// Idle slots of contexts that had a batch, at the line of its next instruction.
void add_lines(const Processor& processor, const Shader& shader, std::uint32_t batches,
               LaunchResult& result) {
  struct Line {
    LineCost cost;
    SlotAccount idle;
  };
  std::map<std::uint32_t, Line> by_line;
  for (std::size_t at = 0; at < shader.lines.size(); ++at) {
    const InstructionCount& count = processor.counts().instructions[at];
    if (count.batches == 0) continue;
    Line& line = by_line[shader.lines[at]];
    line.cost.location = place_of(shader, at);
    line.cost.warp_instructions += count.batches;
    line.cost.thread_instructions += count.threads;
    line.idle += count.idle;
  }
  for (auto& [number, line] : by_line) {
    add_line_stalls(stalls_of_slots(line.idle, batches), line.cost);
    result.lines.push_back(std::move(line.cost));
  }
}

}  // namespace

void add_figures(const Processor& processor, const OverlayParameters& parameters,
                 const Configuration& configuration, bool lines, LaunchResult& result) {
  const ProcessorCounts& counts = processor.counts();
  const Shader& shader = configuration.shader;
  result.cycles = counts.cycles.count();
  result.seconds = (counts.cycles / parameters.clock).count();
  result.branches = counts.branches;
  result.divergent_branches = counts.divergent_branches;
  add_instructions(processor, shader, result);
  result.stalls = stalls_of_slots(counts.slots, parameters.batches);
  add_memory(processor, result);
  add_utilisation(processor, parameters, result);
  add_stats(processor, parameters, shader, result);
  result.fragment_program = {
      .batches = processor.batches(),
      .batch = processor.has_square_batches() ? Dim3{2, 2, 1} : Dim3{kBatchThreads, 1, 1},
      .registers_per_thread = shader.temporaries,
      .resident_batches = counts.alu_slots == 0 ? 0
                                                : static_cast<double>(counts.occupied) /
                                                      static_cast<double>(counts.alu_slots),
      .contexts = parameters.batches,
      .limited_by =
          processor.batches() < parameters.batches ? "the domain's size" : "batch contexts"};
  if (lines) add_lines(processor, shader, parameters.batches, result);
}

}  // namespace raddle::machine::overlay
