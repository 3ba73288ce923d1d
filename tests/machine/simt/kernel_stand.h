// One kernel of PTX text, made ready for a GPU, without the GPU.
#pragma once

#include <memory>
#include <string_view>

#include "lang/ptx/reader.h"
#include "machine/ref/ptx_module.h"
#include "machine/simt/fermi.h"
#include "machine/simt/issue_table.h"
#include "machine/simt/resident_block.h"

namespace raddle::machine::simt {

class KernelStand {
 public:
  explicit KernelStand(std::string_view ptx)
      : parameters(fermi()), memory_(1u << 20), program_(memory_) {
    program_.load(ptx::read_ptx(ref::module_of(ptx), "test.ptx"));
    program_.link();
    const kernel::Module& module = program_.module(0);
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      if (module.functions[f].is_entry) launch_.kernel = {0, f};
    }
    launch_.parameters.resize(program_.function(launch_.kernel).incoming_bytes());
    decoded_ = kernel::exec::decode(program_, launch_.kernel);
    table_ = std::make_unique<IssueTable>(*decoded_, parameters.core);
    on_core = std::make_unique<KernelOnCore>(program_, textures_, *decoded_, *table_, launch_,
                                             kernel::exec::GridOptions{});
  }

  const IssueTable& table() const { return *table_; }
  // The number-th instruction with that opcode.
  const IssueInfo& info(kernel::Opcode opcode, int number = 0) const {
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if ((*table_)[i].instruction->ir->opcode == opcode && number-- == 0) return (*table_)[i];
    }
    throw std::runtime_error("no such instruction");
  }

  GpuParameters parameters;
  std::unique_ptr<KernelOnCore> on_core;

 private:
  kernel::DeviceMemory memory_;
  kernel::Program program_;
  kernel::TextureTable textures_;
  kernel::exec::Launch launch_;
  std::unique_ptr<kernel::exec::DecodedKernel> decoded_;
  std::unique_ptr<IssueTable> table_;
};

}  // namespace raddle::machine::simt
