// Kernels at the speed of this host: compiled to its own code, warp by warp, with the interpreter
// of kernel/exec for what the code does not do. The order in which blocks and warps have their
// turns is that of `ref`, so results are the same bit for bit. There is no timing, and little is
// counted.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "kernel/exec/decoded.h"
#include "machine/kernel_machine.h"
#include "machine/native/kernel_compiler.h"
#include "machine/native/native_parameters.h"

namespace raddle::machine::native {

class NativeMachine : public KernelMachine {
 public:
  using Parameters = NativeParameters;

  explicit NativeMachine(const ParameterTable& table);

  static Traits traits(const ParameterTable& table);
  Peaks peaks() const override;
  const DeviceDescription& description() const override { return parameters_.device; }
  LaunchResult launch(kernel::Program& program, const kernel::TextureTable& textures,
                      const Launch& launch, const LaunchOptions& options) override;
  Occupancy occupancy(kernel::Program& program, const Launch& launch) override;
  std::vector<Error> remarks() const override;

 private:
  // A kernel that was launched: decoded, and compiled once it has done enough.
  struct Entry {
    std::unique_ptr<kernel::exec::DecodedKernel> decoded;
    std::unique_ptr<CompiledKernel> compiled;
    std::uint32_t registers = 0;                 // a thread's
    std::uint64_t interpreted_instructions = 0;  // warp instructions, of all launches
  };
  Entry& entry_of(const kernel::Program& program, kernel::FunctionRef kernel);

  NativeParameters parameters_;
  // A program that loads more modules decodes and compiles anew.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Entry> entries_;
  std::pair<std::uint64_t, std::size_t>
      version_{};        // of the program: its identity and number of modules
  std::string failure_;  // of the compiler, the first one
};

}  // namespace raddle::machine::native
