#include "lang/cuda/carried_image.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(CarriedImage, StandsWhereThePlaceholderWas) {
  const std::string assembly = fmt::format(
      "\t.section\t.nv_fatbin\n.Lx:\n\t.ascii\t\"{}\"\n\t.size\t.Lx, 4\n", kImagePlaceholder);
  EXPECT_EQ(carry_image(assembly, "/tmp/a.image"),
            "\t.section\t.nv_fatbin\n.Lx:\n\t.incbin\t\"/tmp/a.image\"\n\t.size\t.Lx, 4\n");
}

TEST(CarriedImage, LeavesAFileWithoutDeviceCodeAlone) {
  EXPECT_EQ(carry_image("\t.text\n", "/tmp/a.image"), "\t.text\n");
}

}  // namespace
}  // namespace raddle::cuda
