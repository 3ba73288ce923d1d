// Makes code of this host of a kernel: translates its functions to LLVM IR, has clang compile them
// to a shared object, and loads it. Objects are kept in the user's cache by the content of the
// text, the compiler and the kind of processor. All of it happens beside the program that waits for
// it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernel/exec/compiled_code.h"
#include "kernel/exec/decoded.h"

namespace raddle::machine::native {

// The LLVM IR of all functions of a kernel, and what the interpreter has to know of them.
struct TranslatedKernel {
  std::string text;
  std::vector<kernel::exec::CompiledCode>
      functions;                // without code yet; by DecodedKernel::functions
  std::size_t translated = 0;   // instructions
  std::size_t carried_out = 0;  // by the interpreter
};
TranslatedKernel translate(const kernel::exec::DecodedKernel& kernel);

class CompiledKernel {
 public:
  // The kernel must outlive it.
  explicit CompiledKernel(const kernel::exec::DecodedKernel& kernel) : kernel_(kernel) {}
  ~CompiledKernel();  // ends the compiler if it is still at work
  CompiledKernel(const CompiledKernel&) = delete;
  CompiledKernel& operator=(const CompiledKernel&) = delete;

  // Begins to compile, once.
  void start();
  void wait();
  // Empty until it is done, and for ever if it failed.
  const std::vector<kernel::exec::CompiledCode>& functions() const;
  // Why there is no code; empty: there is, or there will be.
  std::string failure() const;

 private:
  void compile();

  const kernel::exec::DecodedKernel& kernel_;
  std::thread worker_;
  bool started_ = false;
  std::atomic<bool> done_{false};
  std::atomic<bool> unwanted_{false};
  std::vector<kernel::exec::CompiledCode> functions_;
  std::string failure_;
  void* library_ = nullptr;
};

}  // namespace raddle::machine::native
