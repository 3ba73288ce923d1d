#include "report/charts/svg_palette.h"

#include <gtest/gtest.h>

#include <set>

namespace raddle::report {
namespace {

TEST(Palette, ShadesTowardsWhiteAndBlack) {
  EXPECT_EQ(shaded("#804020", 0), "#804020");
  EXPECT_EQ(shaded("#804020", 1), "#ffffff");
  EXPECT_EQ(shaded("#804020", -1), "#000000");
  EXPECT_EQ(shaded("#804020", -0.5), "#402010");
}

TEST(Palette, HasManyColoursThatDiffer) {
  std::set<std::string> colours;
  for (std::size_t i = 0; i < 64; ++i) colours.insert(many_colour(i));
  EXPECT_EQ(colours.size(), 64u);
  // A hue of 210 degrees, a saturation of 62%, a lightness of 44%.
  EXPECT_EQ(many_colour(0), "#2b70b6");
}

}  // namespace
}  // namespace raddle::report
