#include "report/charts/svg_heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/charts/svg_palette.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

HeatMap small_map() {
  return {.frame = {.title = "Busy units"},
          .values = {.title = "busy", .numbers = Numbers::kShare},
          .column_title = "column",
          .row_title = "row",
          .columns = {"0", "1", "2"},
          .rows = {"0", "1"},
          .cells = {{0, 0.5, 1}, {0.25, kNaN}}};
}

// Cells of the grid, without those of the colour bar.
std::vector<const XmlElement*> cells_of(const XmlElement& svg) {
  std::vector<const XmlElement*> cells;
  for (const XmlElement& child : svg.children) {
    if (child.has_class("cell")) cells.push_back(&child);
  }
  return cells;
}

TEST(HeatMap, ColoursCellsByTheirValue) {
  const XmlElement svg = checked_svg(svg_of(small_map()));
  const auto cells = cells_of(svg);
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells[0]->attribute("fill"), heat_colour(0));
  EXPECT_EQ(cells[1]->attribute("fill"), heat_colour(0.5));
  EXPECT_EQ(cells[2]->attribute("fill"), heat_colour(1));
  EXPECT_EQ(cells[4]->attribute("fill"), "currentColor") << "no value: grey";
  EXPECT_EQ(cells[5]->attribute("fill"), "currentColor") << "missing: grey";
  EXPECT_EQ(cells[3]->whole_text, "1, 0: 25.0%");
  EXPECT_THAT(texts_of(svg, "value"), Contains("50.0%"));
  EXPECT_THAT(texts_of(svg, "axis-title"), ElementsAre("busy by row", "column"));
}

TEST(HeatMap, KeepsALargeGridReadable) {
  HeatMap map = small_map();
  map.columns.clear();
  map.rows.clear();
  map.cells.assign(64, std::vector<double>(64, 0.5));
  map.cells[3][4] = 0.7;
  for (int i = 0; i < 64; ++i) {
    map.columns.push_back(std::to_string(i));
    map.rows.push_back(std::to_string(i));
  }
  const XmlElement svg = checked_svg(svg_of(map));
  EXPECT_EQ(cells_of(svg).size(), 64u * 64u);
  EXPECT_TRUE(texts_of(svg, "value").empty());
}

TEST(HeatMap, SaysSoWhenThereIsNoData) {
  HeatMap map = small_map();
  map.cells = {{kNaN}};
  EXPECT_THAT(texts_of(checked_svg(svg_of(map)), "no-data"), ElementsAre("no data"));
  map.rows.clear();
  EXPECT_THAT(texts_of(checked_svg(svg_of(map)), "no-data"), ElementsAre("no data"));
}

TEST(HeatMap, ColoursOneValueInTheMiddle) {
  HeatMap map = small_map();
  map.cells = {{7, 7, 7}, {7, 7, 7}};
  EXPECT_EQ(cells_of(checked_svg(svg_of(map)))[0]->attribute("fill"), heat_colour(0.5));
}

}  // namespace
}  // namespace raddle::report
