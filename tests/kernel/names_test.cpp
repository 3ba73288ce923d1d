#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel/instruction.h"
#include "kernel/module.h"
#include "kernel/opposite_comparison.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;

constexpr int kTypeCount = static_cast<int>(Type::kF64) + 1;
constexpr int kOpcodeCount = static_cast<int>(Opcode::kItReceiveLoad) + 1;
constexpr int kSpecialCount = static_cast<int>(SpecialRegister::kEnvReg) + 1;

Instruction make(Opcode opcode, Type type = Type::kNone) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.type = type;
  return instruction;
}

TEST(Compare, HasAnOppositeThatHasItAsItsOwn) {
  const auto last = static_cast<int>(Compare::kNan);
  for (int i = static_cast<int>(Compare::kNone) + 1; i <= last; ++i) {
    const auto compare = static_cast<Compare>(i);
    const bool unordered = compare >= Compare::kEqu;
    for (const bool is_float : {false, true}) {
      if (unordered && !is_float) continue;
      EXPECT_NE(opposite_of(compare, is_float), compare);
      EXPECT_EQ(opposite_of(opposite_of(compare, is_float), is_float), compare) << name_of(compare);
    }
  }
  EXPECT_EQ(opposite_of(Compare::kLt, false), Compare::kGe);
  EXPECT_EQ(opposite_of(Compare::kLt, true), Compare::kGeu);  // a NaN is not less
  EXPECT_EQ(opposite_of(Compare::kNone, true), Compare::kNone);
}

TEST(Names, TypesOpcodesAndSpecialRegistersAreFoundByTheirNames) {
  for (int i = 0; i < kTypeCount; ++i)
    EXPECT_EQ(type_from_name(name_of(static_cast<Type>(i))), static_cast<Type>(i));
  for (int i = 0; i < kOpcodeCount; ++i) {
    EXPECT_EQ(opcode_from_name(name_of(static_cast<Opcode>(i))), static_cast<Opcode>(i));
    EXPECT_FALSE(sentence_of(static_cast<Opcode>(i)).empty());
  }
  for (int i = 0; i < kSpecialCount; ++i) {
    const auto special = static_cast<SpecialRegister>(i);
    EXPECT_EQ(special_register_from_name(name_of(special)), special);
  }
  EXPECT_EQ(type_from_name("f31"), std::nullopt);
  EXPECT_EQ(opcode_from_name("ad"), std::nullopt);
  EXPECT_EQ(special_register_from_name("tid"), std::nullopt);
}

TEST(Names, NumberedEnvironmentRegistersAreAllTheSame) {
  EXPECT_EQ(special_register_from_name("envreg0"), SpecialRegister::kEnvReg);
  EXPECT_EQ(special_register_from_name("envreg31"), SpecialRegister::kEnvReg);
  EXPECT_EQ(special_register_from_name("envregister"), std::nullopt);
}

TEST(Names, ModifiersAreSpelledAsInPtx) {
  EXPECT_EQ(name_of(Rounding::kNearestAway), "rna");
  EXPECT_EQ(name_of(Rounding::kZeroInt), "rzi");
  EXPECT_EQ(name_of(Compare::kHs), "hs");
  EXPECT_EQ(name_of(Compare::kNan), "nan");
  EXPECT_EQ(name_of(Combine::kXor), "xor");
  EXPECT_EQ(name_of(MultiplyPart::kWide), "wide");
  EXPECT_EQ(name_of(AtomicOp::kCompareSwap), "cas");
  EXPECT_EQ(name_of(MemoryOrder::kAcquireRelease), "acq_rel");
  EXPECT_EQ(name_of(Scope::kBlock), "cta");
  EXPECT_EQ(name_of(Space::kParam), "param");
  EXPECT_EQ(name_of(Mode::kShuffleButterfly), "bfly");
  EXPECT_EQ(name_of(Mode::kTexture2DLevel), "level.2d");
  EXPECT_EQ(name_of(Mode::kCopyAll), "all");
  EXPECT_EQ(name_of(SpecialRegister::kLanemaskGt), "lanemask_gt");
  EXPECT_EQ(name_of(Linkage::kCommon), "common");
}

TEST(Names, ClassNamesAreAllDifferent) {
  std::set<std::string_view> names;
  for (int i = 0; i < kInstructionClasses; ++i)
    names.insert(name_of(static_cast<InstructionClass>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kInstructionClasses));
}

TEST(InstructionClass, FollowsTypeForArithmeticAndOpcodeForTheRest) {
  EXPECT_EQ(class_of(make(Opcode::kAdd, Type::kS32)), InstructionClass::kInteger);
  EXPECT_EQ(class_of(make(Opcode::kAdd, Type::kF32)), InstructionClass::kFloat32);
  EXPECT_EQ(class_of(make(Opcode::kFma, Type::kF64)), InstructionClass::kFloat64);
  EXPECT_EQ(class_of(make(Opcode::kMul, Type::kBF16x2)), InstructionClass::kFloat16);
  EXPECT_EQ(class_of(make(Opcode::kSqrt, Type::kF32)), InstructionClass::kSpecial);
  EXPECT_EQ(class_of(make(Opcode::kShl, Type::kB32)), InstructionClass::kLogic);
  EXPECT_EQ(class_of(make(Opcode::kSetp, Type::kF32)), InstructionClass::kCompare);
  EXPECT_EQ(class_of(make(Opcode::kCvt, Type::kF32)), InstructionClass::kConvert);
  EXPECT_EQ(class_of(make(Opcode::kSelp, Type::kF32)), InstructionClass::kMove);
  EXPECT_EQ(class_of(make(Opcode::kLd, Type::kF32)), InstructionClass::kLoad);
  EXPECT_EQ(class_of(make(Opcode::kSt, Type::kF32)), InstructionClass::kStore);
  EXPECT_EQ(class_of(make(Opcode::kAtom, Type::kF32)), InstructionClass::kAtomic);
  EXPECT_EQ(class_of(make(Opcode::kFence)), InstructionClass::kOther);
  EXPECT_EQ(class_of(make(Opcode::kTex, Type::kF32)), InstructionClass::kTexture);
  EXPECT_EQ(class_of(make(Opcode::kShfl, Type::kB32)), InstructionClass::kWarp);
  EXPECT_EQ(class_of(make(Opcode::kWarpSync)), InstructionClass::kBarrier);
  EXPECT_EQ(class_of(make(Opcode::kBra)), InstructionClass::kControl);
  EXPECT_EQ(class_of(make(Opcode::kItTag, Type::kF32)), InstructionClass::kInterThread);
}

TEST(Module, OffsetsFollowAlignmentParametersThenReturnValuesThenCallSlots) {
  Function function;
  function.parameters = {{"a", 4, 4, 0}, {"b", 8, 8, 0}, {"c", 1, 1, 0}};
  function.return_values = {{"r", 4, 4, 0}};
  function.call_slots = {{"s", 16, 16, 0}, {"t", 2, 2, 0}};
  function.locals = {{"x", 3, 1, 0}, {"y", 8, 8, 0}};
  assign_offsets(function);
  EXPECT_EQ(function.parameters[1].offset, 8u);
  EXPECT_EQ(function.parameters[2].offset, 16u);
  EXPECT_EQ(function.return_values[0].offset, 20u);
  EXPECT_EQ(function.call_slots[0].offset, 32u);
  EXPECT_EQ(function.call_slots[1].offset, 48u);
  EXPECT_EQ(function.locals[1].offset, 8u);
  EXPECT_EQ(function.incoming_bytes(), 17u);
  EXPECT_EQ(function.parameter_frame_bytes(), 64u);
  EXPECT_EQ(function.local_bytes(), 16u);
}

TEST(Module, DescribesLocationsAndFindsSymbols) {
  Module module;
  module.files.push_back("dir/a.cu");
  module.locations.push_back({1, 12, 3, kNoId});
  module.locations.push_back({1, 0, 3, kNoId});
  module.functions.resize(2);
  module.functions[1].name = "f";
  module.variables.resize(1);
  module.variables[0].name = "v";
  EXPECT_EQ(module.describe_location(1), "dir/a.cu:12");
  EXPECT_EQ(module.describe_location(2), "");
  EXPECT_EQ(module.describe_location(0), "");
  EXPECT_EQ(module.describe_location(99), "");
  EXPECT_EQ(module.find_function("f"), &module.functions[1]);
  EXPECT_EQ(module.find_function("g"), nullptr);
  EXPECT_EQ(module.find_variable("v"), &module.variables[0]);
  EXPECT_EQ(module.find_variable("f"), nullptr);
}

TEST(Module, SuccessorsAreTargetsThenFallThroughWithoutRepetition) {
  Function function;
  function.blocks.resize(5);
  Instruction branch = make(Opcode::kBra);
  branch.targets = {3};
  function.blocks[0].instructions = {branch};
  branch.guard.predicate = 0;
  function.blocks[1].instructions = {branch};
  branch.targets = {3};
  function.blocks[2].instructions = {branch};
  Instruction leave = make(Opcode::kRet);
  leave.guard.predicate = 0;
  function.blocks[3].instructions = {leave};
  function.blocks[4].instructions = {make(Opcode::kExit)};
  EXPECT_THAT(successors(function, 0), ElementsAre(3));
  EXPECT_THAT(successors(function, 1), ElementsAre(3, 2));
  EXPECT_THAT(successors(function, 2), ElementsAre(3));
  EXPECT_THAT(successors(function, 3), ElementsAre(4));
  EXPECT_TRUE(successors(function, 4).empty());
}

}  // namespace
}  // namespace raddle::kernel
