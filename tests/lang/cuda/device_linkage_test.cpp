#include "lang/cuda/device_linkage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(DeviceLinkage, GivesTheHostsLinkerASymbolForEachFunctionAndAReferenceForWhatIsWanted) {
  DeviceSymbols symbols;
  symbols.functions = {"_Z3getv"};
  symbols.weak_functions = {"_Z5twiceIiEvT_"};
  symbols.wanted_functions = {"_Z3putv"};
  symbols.wanted_variables = {"counter"};
  EXPECT_EQ(device_linkage(symbols),
            "\t.pushsection\t.rodata\n"
            "\t.globl\t_Z3getv.device\n\t.hidden\t_Z3getv.device\n_Z3getv.device:\n"
            "\t.weak\t_Z5twiceIiEvT_.device\n\t.hidden\t_Z5twiceIiEvT_.device\n"
            "_Z5twiceIiEvT_.device:\n"
            "\t.popsection\n"
            "\t.pushsection\t.raddle_wanted,\"\",@progbits\n"
            "\t.quad\t_Z3putv.device\n"
            "\t.quad\tcounter\n"
            "\t.popsection\n");
}

}  // namespace
}  // namespace raddle::cuda
