// Where in the source memory is accessed: constants of the module (probe::Site) that the recorder
// reads. There are none in modules without debug information.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <tuple>

namespace raddle::ddm::plugin {

class AccessSites {
 public:
  explicit AccessSites(llvm::Module& module);
  // The site of the access that an instruction makes through a pointer; null without debug
  // information.
  llvm::Constant* of(const llvm::Instruction& instruction, const llvm::Value& pointer);

 private:
  llvm::Constant* text(const std::string& content);

  llvm::Module& module_;
  bool has_debug_information_;
  llvm::PointerType* pointer_;
  llvm::StructType* type_;
  std::map<std::string, llvm::Constant*> texts_;
  std::map<std::tuple<std::string, std::string, unsigned, bool>, llvm::Constant*> sites_;
};

}  // namespace raddle::ddm::plugin
