#include "lang/cuda/registration_order.h"

namespace raddle::cuda {

namespace {

constexpr std::string_view kEntry = "\n\t.quad\t__cuda_module_ctor\n";
// 101: the priorities before it belong to the implementation, that is, to us.
constexpr std::string_view kEarlyEntry =
    "\n\t.pushsection\t.init_array.00101,\"aw\",@init_array\n"
    "\t.p2align\t3, 0x0\n"
    "\t.quad\t__cuda_module_ctor\n"
    "\t.popsection\n";

}  // namespace

std::string register_before_constructors(std::string_view assembly) {
  std::string text(assembly);
  const std::size_t entry = text.find(kEntry);
  if (entry != std::string::npos) text.replace(entry, kEntry.size(), kEarlyEntry);
  return text;
}

}  // namespace raddle::cuda
