#include "machine/cgra/compile/far_load_spill.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "machine/cgra/compile/graph_builder.h"
#include "machine/cgra/fabric/thread_links.h"

namespace raddle::machine::cgra {

using kernel::Instruction;
using kernel::InterThread;
using kernel::Opcode;
using kernel::Operand;
using kernel::RegisterId;
using kernel::Type;

namespace {

using Extents = std::array<std::uint32_t, 3>;

// Steps of all loops together, each a piece or so of its own: far beyond what blocks need whose
// distances are too long for elevators.
constexpr std::uint32_t kMaxSteps = 64;

// How many threads come after each other at most, from one to the next, before one has no sender.
std::uint32_t longest_chain(const InterThread& link, const Extents& block) {
  const auto linear = [&](const std::array<std::int64_t, 3>& at) {
    return (at[2] * block[1] + at[1]) * block[0] + at[0];
  };
  std::uint32_t longest = 0;
  for (std::uint32_t thread = 0; thread < block[0] * block[1] * block[2]; ++thread) {
    std::array<std::int64_t, 3> at{thread % block[0], thread / block[0] % block[1],
                                   thread / block[0] / block[1]};
    const std::int64_t window = link.window == 0 ? 0 : linear(at) / link.window;
    std::uint32_t steps = 0;
    for (bool inside = true; inside; ++steps) {
      for (std::size_t d = 0; d < 3; ++d) {
        at[d] += link.delta[d];
        inside = inside && at[d] >= 0 && at[d] < block[d];
      }
      inside = inside && (link.window == 0 || linear(at) / link.window == window);
    }
    longest = std::max(longest, steps - 1);
  }
  return longest;
}

class Spiller {
 public:
  Spiller(const kernel::Function& function, const Extents& block, std::uint32_t token_buffer)
      : function_(function), block_(block), token_buffer_(token_buffer) {
    for (const kernel::Block& each : function.blocks) {
      for (const Instruction& i : each.instructions)
        next_channel_ = std::max(next_channel_, i.inter_thread.channel + 1);
    }
  }

  std::optional<kernel::Function> run() {
    std::uint32_t steps = 0;
    for (kernel::Block& block : function_.blocks) {
      std::vector<Instruction> code;
      for (Instruction& i : block.instructions) {
        if (!is_far(i)) {
          code.push_back(std::move(i));
          continue;
        }
        const std::uint32_t chain = longest_chain(i.inter_thread, block_);
        steps += chain;
        if (steps > kMaxSteps) return std::nullopt;
        hand_on(i, chain, code);
      }
      block.instructions = std::move(code);
    }
    if (steps == 0) return std::nullopt;
    return std::move(function_);
  }

 private:
  bool is_far(const Instruction& i) const {
    return i.opcode == Opcode::kItReceiveLoad && !i.guard.present() && i.destinations.size() == 1 &&
           has_senders(i.inter_thread, block_) &&
           static_cast<std::uint32_t>(std::abs(linear_distance(i.inter_thread, block_))) >
               token_buffer_;
  }

  // Threads load that are told to or have no sender. All others get the value in as many steps as
  // there are threads before them; one that has it gets it again.
  void hand_on(const Instruction& receive, std::uint32_t steps, std::vector<Instruction>& code) {
    const Operand told = receive.sources[1];
    const Operand sent = add_register("sent", Type::kU32);
    const Operand got = add_register("got", Type::kU32);
    const Operand none = add_register("no_sender", Type::kPred);
    const Operand loads = add_register("loads", Type::kPred);
    code.push_back(make(receive, Opcode::kSelp, Type::kU32, sent,
                        {Operand::immediate(2), Operand::immediate(1), told}));
    pass(receive, Type::kU32, sent, got, code);
    Instruction compare =
        make(receive, Opcode::kSetp, Type::kU32, none, {got, Operand::immediate(0)});
    compare.compare = kernel::Compare::kEq;
    code.push_back(std::move(compare));
    code.push_back(make(receive, Opcode::kOr, Type::kPred, loads, {told, none}));

    const Operand loaded = add_register("loaded", receive.type);
    code.push_back(make(receive, Opcode::kMov, receive.type, loaded, {Operand::immediate(0)}));
    Instruction load = receive;
    load.opcode = Opcode::kLd;
    load.destinations = {loaded};
    load.sources = {receive.sources[0]};
    load.inter_thread = {};
    load.guard.predicate = loads.index;
    code.push_back(std::move(load));

    Operand value = loaded;
    for (std::uint32_t step = 1; step <= steps; ++step) {
      const Operand passed = add_register("passed", receive.type);
      pass(receive, receive.type, value, passed, code);
      value = step == steps ? receive.destinations[0] : add_register("value", receive.type);
      code.push_back(make(receive, Opcode::kSelp, receive.type, value, {loaded, passed, loads}));
    }
  }

  // Every thread sends a value, and gets that of its sender, or 0.
  void pass(const Instruction& receive, Type type, Operand value, Operand result,
            std::vector<Instruction>& code) {
    Instruction tag = make(receive, Opcode::kItTag, type, {}, {value});
    tag.destinations.clear();
    tag.inter_thread.channel = next_channel_++;
    Instruction get = make(receive, Opcode::kItReceiveConst, type, result, {Operand::immediate(0)});
    get.inter_thread = receive.inter_thread;
    get.inter_thread.channel = tag.inter_thread.channel;
    code.push_back(std::move(tag));
    code.push_back(std::move(get));
  }

  Operand add_register(const char* name, Type type) {
    function_.registers.push_back({name, type});
    return Operand::reg(static_cast<RegisterId>(function_.registers.size() - 1));
  }

  static Instruction make(const Instruction& at, Opcode opcode, Type type, Operand to,
                          std::vector<Operand> from) {
    Instruction made;
    made.opcode = opcode;
    made.type = type;
    made.location = at.location;
    made.destinations = {to};
    made.sources = std::move(from);
    return made;
  }

  kernel::Function function_;
  Extents block_;
  std::uint32_t token_buffer_;
  std::uint32_t next_channel_ = 0;
};

}  // namespace

std::optional<kernel::Function> spill_far_loads(const kernel::Function& function,
                                                const Extents& block, std::uint32_t token_buffer) {
  return Spiller(function, block, token_buffer).run();
}

}  // namespace raddle::machine::cgra
