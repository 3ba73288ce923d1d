// The pass plug-in that makes data-driven programs report what they do: clang++-19
// -fpass-plugin=raddle-ddm-plugin.so. It runs when all optimisations are done, so that what it
// reports is what the machine code does: a word for each basic block that is entered and for each
// load and store, appended inline to the recorder's buffer (src/ddm/recorder/probe.h).
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "ddm/plugin/access_site.h"
#include "ddm/plugin/block_cost.h"
#include "ddm/recorder/probe.h"

namespace raddle::ddm::plugin {
namespace {

// Code of the library that brings threads to run is not part of them: on the simulated machine the
// TSU and a few instructions do its work.
bool is_library(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  for (const char* invoke : {"_ZSt6invoke", "_ZSt8__invoke", "_ZSt13__invoke_impl"}) {
    if (name.starts_with(invoke)) return true;
  }
  if (!name.consume_front("_Z")) return false;
  name.consume_front("Z");  // local to a function
  name.consume_front("N");
  name.consume_front("K");
  return name.starts_with("6raddle3ddm");
}

// What the library calls and is not part of it or of the standard library.
bool is_threads_code(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  const bool is_standard =
      name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("_ZNKSt");
  return !is_library(function) && !is_standard && name.starts_with("_Z") &&
         !function.hasFnAttribute(llvm::Attribute::AlwaysInline);
}

// Before anything is inlined: threads' code must not become part of the library's.
struct KeepApartPass : llvm::PassInfoMixin<KeepApartPass> {
  // NOLINTNEXTLINE(readability-identifier-naming): the name LLVM calls it by
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) {
    for (llvm::Function& function : module) {
      if (!is_library(function)) continue;
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr || call->getCalledFunction() == nullptr) continue;
        if (is_threads_code(*call->getCalledFunction())) call->addFnAttr(llvm::Attribute::NoInline);
      }
    }
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's
};

// A load or store: what is accessed and how much of it.
struct Access {
  llvm::Value* pointer = nullptr;
  bool is_store = false;
  std::uint64_t bytes = 0;        // known sizes
  llvm::Value* length = nullptr;  // sizes known only when it runs, and large ones
};

class Instrumenter {
 public:
  explicit Instrumenter(llvm::Module& module)
      : module_(module),
        layout_(module.getDataLayout()),
        word_(llvm::Type::getInt64Ty(module.getContext())),
        pointer_(llvm::PointerType::getUnqual(module.getContext())),
        sites_(module),
        cursor_(variable("raddle_ddm_probe_cursor")),
        limit_(variable("raddle_ddm_probe_limit")),
        flush_(module.getOrInsertFunction(
            "raddle_ddm_probe_flush",
            llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), false))) {
    code_offset_ = first_code_offset();
  }

  bool run() {
    bool changed = false;
    for (llvm::Function& function : module_) {
      if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked)) continue;
      if (is_library(function)) continue;
      instrument(function);
      changed = true;
    }
    return changed;
  }

 private:
  llvm::GlobalVariable* variable(llvm::StringRef name) {
    auto* found = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(name, pointer_));
    found->setDSOLocal(true);
    return found;
  }

  // Translation units of a program begin at places of their own, the same wherever it is compiled.
  std::uint64_t first_code_offset() const {
    std::uint64_t hash = 14695981039346656037u;
    for (const char letter : llvm::sys::path::filename(module_.getSourceFileName())) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
    }
    return (hash >> 32 & 0xff) << 20;
  }

  void instrument(llvm::Function& function) {
    // It writes the buffer now, whatever was found out about it before.
    function.removeFnAttr(llvm::Attribute::Memory);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (is_real_call(*call)) call->removeFnAttr(llvm::Attribute::Memory);
      }
    }
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : function) blocks.push_back(&block);
    for (llvm::BasicBlock* block : blocks) instrument(*block);
  }

  void instrument(llvm::BasicBlock& block) {
    const BlockCost cost = cost_of(block);
    const probe::BlockWord word{std::min(cost.ticks, probe::BlockWord::kMaxTicks),
                                std::min(cost.instructions, probe::BlockWord::kMaxInstructions),
                                code_offset_};
    code_offset_ += cost.instructions;
    // Stretches without calls, which may append words themselves.
    llvm::Instruction* start = &*block.getFirstInsertionPt();
    std::vector<Stretch> stretches(1);
    stretches.back().start = start;
    stretches.back().block_word = word.encode();
    for (llvm::Instruction& instruction : block) {
      add_accesses(instruction, stretches.back());
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const bool ends = (call != nullptr && is_real_call(*call)) || instruction.isTerminator() ||
                        stretches.back().accesses.size() >= probe::kSlackWords / 4;
      if (!ends) continue;
      stretches.back().end = &instruction;
      if (!instruction.isTerminator()) {
        stretches.emplace_back();
        stretches.back().start = instruction.getNextNode();
      }
    }
    for (const Stretch& stretch : stretches) emit(stretch);
  }

  struct Stretch {
    llvm::Instruction* start = nullptr;  // the cursor is read before it
    llvm::Instruction* end = nullptr;    // … and written before it
    std::optional<std::uint64_t> block_word;
    struct At {
      llvm::Instruction* before = nullptr;
      Access access;
    };
    std::vector<At> accesses;
  };

  void add_accesses(llvm::Instruction& instruction, Stretch& stretch) {
    const auto add = [&](llvm::Value* pointer, bool is_store, llvm::Type* type) {
      const llvm::TypeSize size = layout_.getTypeStoreSize(type);
      if (size.isScalable() || pointer->getType()->getPointerAddressSpace() != 0) return;
      add_sized(instruction, stretch, pointer, is_store, size.getFixedValue());
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      add(load->getPointerOperand(), false, load->getType());
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add(store->getPointerOperand(), true, store->getValueOperand()->getType());
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add(update->getPointerOperand(), false, update->getType());
      add(update->getPointerOperand(), true, update->getType());
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add(exchange->getPointerOperand(), false, exchange->getNewValOperand()->getType());
      add(exchange->getPointerOperand(), true, exchange->getNewValOperand()->getType());
    } else if (auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      add_length(instruction, stretch, fill->getRawDest(), true, fill->getLength());
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
        add_length(instruction, stretch, copy->getRawSource(), false, copy->getLength());
      }
    }
  }

  static void add_sized(llvm::Instruction& instruction, Stretch& stretch, llvm::Value* pointer,
                        bool is_store, std::uint64_t bytes) {
    if (bytes == 0) return;
    Access access{pointer, is_store, bytes, nullptr};
    if (bytes > probe::kMaxBytes) {
      access.length =
          llvm::ConstantInt::get(llvm::Type::getInt64Ty(instruction.getContext()), bytes);
    }
    stretch.accesses.push_back({&instruction, access});
  }

  static void add_length(llvm::Instruction& instruction, Stretch& stretch, llvm::Value* pointer,
                         bool is_store, llvm::Value* length) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(length)) {
      add_sized(instruction, stretch, pointer, is_store, constant->getZExtValue());
    } else {
      stretch.accesses.push_back({&instruction, {pointer, is_store, 0, length}});
    }
  }

  void emit(const Stretch& stretch) {
    if (stretch.end == nullptr || (!stretch.block_word && stretch.accesses.empty())) return;
    llvm::IRBuilder<> builder(stretch.start);
    llvm::Value* cursor = builder.CreateLoad(pointer_, cursor_);
    std::uint64_t words = 0;
    const auto append = [&](llvm::Value* value) {
      builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(word_, cursor, words++));
    };
    if (stretch.block_word) append(llvm::ConstantInt::get(word_, *stretch.block_word));
    for (const auto& [before, access] : stretch.accesses) {
      builder.SetInsertPoint(before);
      using probe::Kind;
      const bool is_range = access.length != nullptr;
      const Kind kind = is_range ? (access.is_store ? Kind::kStoreRange : Kind::kLoadRange)
                                 : (access.is_store ? Kind::kStore : Kind::kLoad);
      if (llvm::Constant* site = sites_.of(*before, *access.pointer)) {
        append(builder.CreateOr(builder.CreatePtrToInt(site, word_), probe::tag(Kind::kSite)));
      }
      llvm::Value* address = builder.CreatePtrToInt(access.pointer, word_);
      append(builder.CreateOr(address, probe::tag(kind, is_range ? 0 : access.bytes)));
      if (is_range) append(builder.CreateZExtOrTrunc(access.length, word_));
    }
    builder.SetInsertPoint(stretch.end);
    llvm::Value* next = builder.CreateConstInBoundsGEP1_64(word_, cursor, words);
    builder.CreateStore(next, cursor_);
    llvm::Value* full = builder.CreateICmpUGE(next, builder.CreateLoad(pointer_, limit_));
    llvm::MDNode* rarely = llvm::MDBuilder(module_.getContext()).createBranchWeights(1, 1 << 20);
    llvm::Instruction* then =
        llvm::SplitBlockAndInsertIfThen(full, stretch.end->getIterator(), false, rarely);
    builder.SetInsertPoint(then);
    builder.CreateCall(flush_);
  }

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  llvm::Type* word_;
  llvm::PointerType* pointer_;
  AccessSites sites_;
  llvm::GlobalVariable* cursor_;
  llvm::GlobalVariable* limit_;
  llvm::FunctionCallee flush_;
  std::uint64_t code_offset_ = 0;
};

struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  // NOLINTNEXTLINE(readability-identifier-naming): the name LLVM calls it by
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& /*analyses*/) {
    return Instrumenter(module).run() ? llvm::PreservedAnalyses::none()
                                      : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming): LLVM's
};

}  // namespace
}  // namespace raddle::ddm::plugin

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "raddle-ddm", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
                  passes.addPass(raddle::ddm::plugin::KeepApartPass());
                });
            builder.registerOptimizerLastEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel /*level*/) {
                  passes.addPass(raddle::ddm::plugin::InstrumentPass());
                });
          }};
}
