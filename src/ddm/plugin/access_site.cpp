#include "ddm/plugin/access_site.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>

namespace raddle::ddm::plugin {
namespace {

// The innermost call that is not in a system header: the user's line that uses a container.
const llvm::DILocation* users_line(const llvm::Instruction& instruction) {
  const llvm::DILocation* innermost = instruction.getDebugLoc().get();
  for (const llvm::DILocation* at = innermost; at != nullptr; at = at->getInlinedAt()) {
    if (!at->getFilename().starts_with("/usr/")) return at;
  }
  return innermost;
}

// libstdc++ counts references without atomics while a process has one thread, as here.
bool counts_references(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc().get();
  return at != nullptr && at->getFilename().ends_with("ext/atomicity.h");
}

// What the library's templates write for the executor, such as the choice of a switch thread.
bool is_library(const llvm::DILocation* at) {
  return at != nullptr && at->getFilename().contains("/raddle/ddm/") &&
         at->getFilename().ends_with(".h");
}

}  // namespace

AccessSites::AccessSites(llvm::Module& module)
    : module_(module),
      has_debug_information_(!module.debug_compile_units().empty()),
      pointer_(llvm::PointerType::getUnqual(module.getContext())) {
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  type_ = llvm::StructType::get(module.getContext(), {pointer_, pointer_, number, number});
}

llvm::Constant* AccessSites::text(const std::string& content) {
  if (content.empty()) return llvm::ConstantPointerNull::get(pointer_);
  llvm::Constant*& known = texts_[content];
  if (known == nullptr) {
    llvm::Constant* bytes = llvm::ConstantDataArray::getString(module_.getContext(), content);
    known = new llvm::GlobalVariable(module_, bytes->getType(), true,
                                     llvm::GlobalValue::PrivateLinkage, bytes);
  }
  return known;
}

llvm::Constant* AccessSites::of(const llvm::Instruction& instruction, const llvm::Value& pointer) {
  if (!has_debug_information_) return nullptr;
  const llvm::DILocation* at = users_line(instruction);
  const llvm::Value* object = llvm::getUnderlyingObject(&pointer);
  bool exempt = instruction.isAtomic() || counts_references(instruction) || is_library(at);
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(object)) {
    exempt |= intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
  }
  std::string variable;
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    exempt |= global->isThreadLocal();
    if (global->hasName()) variable = llvm::demangle(global->getName());
  }
  const std::string file = at == nullptr ? std::string() : at->getFilename().str();
  const unsigned line = at == nullptr ? 0 : at->getLine();
  llvm::Constant*& site = sites_[{file, variable, line, exempt}];
  if (site == nullptr) {
    llvm::Type* number = llvm::Type::getInt32Ty(module_.getContext());
    llvm::Constant* content = llvm::ConstantStruct::get(
        type_, {text(file), text(variable), llvm::ConstantInt::get(number, line),
                llvm::ConstantInt::get(number, exempt ? 1 : 0)});
    site =
        new llvm::GlobalVariable(module_, type_, true, llvm::GlobalValue::PrivateLinkage, content);
  }
  return site;
}

}  // namespace raddle::ddm::plugin
