#include "lang/cg/words/emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "lang/cg/words/emit_alu.h"
#include "lang/ctm/flow_words.h"
#include "lang/ctm/structure.h"

namespace raddle::cg {
namespace {

namespace overlay = machine::overlay;

class Emitter {
 public:
  Emitter(const Allocation& allocation, const SourceFiles& sources, overlay::Shader& shader)
      : allocation_(allocation), sources_(sources), shader_(shader) {}

  void run(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      place_ = step.place;
      if (step.control != nullptr)
        control(*step.control);
      else if (step.bundle.tex != nullptr)
        push(tex_word(*step.bundle.tex));
      else
        push(alu_word(step.bundle, allocation_.placements));
    }
    // Nothing may jump after the last word.
    if (shader_.code.empty() || shader_.code.back().type == overlay::InstructionType::kFlow)
      push({});
  }

 private:
  struct Open {
    std::size_t head = 0;
    std::optional<std::size_t> other;
    std::vector<std::size_t> breaks, continues;
    std::size_t depth = 0;  // branches that were open before
    std::uint8_t constant = 0;
  };

  std::size_t push(overlay::Instruction word) {
    shader_.code.push_back(word);
    shader_.lines.push_back(sources_.own_line(place_));
    return shader_.code.size() - 1;
  }

  std::uint16_t here() const { return static_cast<std::uint16_t>(shader_.code.size()); }

  void jump_to(std::size_t from, std::size_t to) {
    shader_.code[from].flow.jump_address = static_cast<std::uint16_t>(to);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw PlacedError(shader_.file, place_, what);
  }

  overlay::Instruction tex_word(const LirOp& op) const {
    overlay::Instruction word;
    word.type = overlay::InstructionType::kTex;
    overlay::TexPart& tex = word.tex;
    tex.op = op.is_kill ? overlay::TexOp::kKill : overlay::TexOp::kLoad;
    if (op.op == IrOp::kTex && op.width == 3) {
      tex.op = op.level == TexLevel::kGiven    ? overlay::TexOp::kLod
               : op.level == TexLevel::kBiased ? overlay::TexOp::kLodBias
                                               : overlay::TexOp::kProject;
    }
    tex.sampler = op.sampler;
    tex.unscaled = !op.scaled;
    const Placement& source = allocation_.placements[op.operands[0].from.index];
    tex.source.address = static_cast<std::uint8_t>(source.number);
    for (unsigned i = 0; i < op.operand_width(); ++i)
      tex.source.channels[i] = source.channel[static_cast<std::size_t>(op.operands[0].lanes[i])];
    if (op.is_kill) tex.source.channels.fill(tex.source.channels[0]);
    if (op.op == IrOp::kTex && op.width == 3)  // the third is Q
      std::swap(tex.source.channels[2], tex.source.channels[3]);
    tex.result_channels = {0, 1, 2, 3};
    if (op.is_kill) return word;
    const Placement& target = allocation_.placements[op.index];
    tex.destination = static_cast<std::uint8_t>(target.number);
    for (unsigned i = 0; i < op.count; ++i) {
      const std::uint8_t channel = target.channel[op.components[i]];
      tex.result_channels[channel] = op.texel[i];
      if (channel == 3)
        word.scalar.write_mask = true;
      else
        word.vector.write_mask =
            static_cast<overlay::ChannelMask>(word.vector.write_mask | 1U << channel);
    }
    return word;
  }

  static ctm::Condition result_condition(bool inverted) {
    ctm::Condition condition;
    condition.kind = ctm::Condition::Kind::kResult;
    condition.invert = inverted;
    return condition;
  }

  void control(const LirItem& item) {
    switch (item.kind) {
      case ItemKind::kIf: {
        if (branches_.size() >= ctm::kBranchDepth)
          fail(fmt::format("branches are nested more than {} deep", ctm::kBranchDepth));
        Open open;
        open.head = push(ctm::if_word(result_condition(item.inverted), false));
        branches_.push_back(open);
        break;
      }
      case ItemKind::kElse: {
        Open& open = branches_.back();
        const std::uint16_t target = shader_.code[open.head].flow.jump_address;
        shader_.code[open.head].flow.if_jumping = overlay::BranchOp::kIncrement;
        shader_.code[open.head].flow.jump_address = target;
        open.other = push(ctm::else_word());
        jump_to(open.head, here());
        break;
      }
      case ItemKind::kEndIf: {
        const Open open = branches_.back();
        branches_.pop_back();
        const std::size_t end = push(ctm::endif_word());
        jump_to(open.other ? *open.other : open.head, end + 1);
        jump_to(end, end + 1);
        break;
      }
      case ItemKind::kLoop: {
        if (loops_.size() >= ctm::kLoopDepth)
          fail(fmt::format("loops are nested more than {} deep", ctm::kLoopDepth));
        Open open;
        open.constant = loop_constant(item.count);
        open.head = push(ctm::loop_word(false, open.constant));
        open.depth = branches_.size();
        loops_.push_back(open);
        break;
      }
      case ItemKind::kEndLoop: {
        const Open open = loops_.back();
        loops_.pop_back();
        const std::size_t end = push(ctm::endloop_word(false, open.constant));
        jump_to(end, open.head + 1);
        jump_to(open.head, end + 1);
        for (const std::size_t from : open.breaks) jump_to(from, end + 1);
        for (const std::size_t from : open.continues) jump_to(from, end);
        break;
      }
      case ItemKind::kBreak:
      case ItemKind::kContinue: {
        Open& open = loops_.back();
        const auto depth = static_cast<unsigned>(branches_.size() - open.depth);
        const ctm::Condition condition =
            item.is_conditional ? result_condition(item.inverted) : ctm::Condition{};
        if (item.kind == ItemKind::kBreak)
          open.breaks.push_back(push(ctm::break_word(false, condition, depth)));
        else
          open.continues.push_back(push(ctm::continue_word(condition, depth)));
        break;
      }
      case ItemKind::kOp: break;
    }
  }

  std::uint8_t loop_constant(std::uint16_t count) {
    for (const overlay::LoopConstant& known : shader_.loops) {
      if (known.count == count) return known.number;
    }
    if (shader_.loops.size() >= overlay::kIntegerConstants)
      fail(fmt::format("more than {} loops with different counts", overlay::kIntegerConstants));
    overlay::LoopConstant made;
    made.number = static_cast<std::uint8_t>(shader_.loops.size());
    made.count = static_cast<std::uint8_t>(count);
    shader_.loops.push_back(made);
    return made.number;
  }

  const Allocation& allocation_;
  const SourceFiles& sources_;
  overlay::Shader& shader_;
  Place place_;
  std::vector<Open> branches_;
  std::vector<Open> loops_;
};

}  // namespace

void emit(const std::vector<Step>& steps, const Allocation& allocation, const SourceFiles& sources,
          machine::overlay::Shader& shader) {
  Emitter(allocation, sources, shader).run(steps);
}

}  // namespace raddle::cg
