#include "base/text_table.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"

namespace raddle {
namespace {

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
  TextTable table({"machine", "cycles", "ratio"});
  table.add_row({"ref", "1,024", "1.00×"});
  table.add_row({"fermi", "98", "–"});
  EXPECT_EQ(table.to_string(),
            "machine  cycles  ratio\n"
            "───────  ──────  ─────\n"
            "ref       1,024  1.00×\n"
            "fermi        98      –\n");
}

TEST(TextTable, DrawsRulesInAsciiWhereAsked) {
  TextTable table({"a", "b"});
  table.add_row({"x", "1"});
  table.add_rule();
  table.add_row({"sum", "1"});
  EXPECT_EQ(table.to_string({.indent = 2, .characters = TextTable::Characters::kAscii}),
            "  a    b\n"
            "  ---  -\n"
            "  x    1\n"
            "  ---  -\n"
            "  sum  1\n");
}

TEST(TextTable, OneWordAmongNumbersMakesTheColumnText) {
  TextTable table({"value"});
  table.add_row({"12345"});
  table.add_row({"auto"});
  EXPECT_EQ(table.to_string(), "value\n─────\n12345\nauto\n");
  table.align(0, TextTable::Align::kRight);
  EXPECT_EQ(table.to_string(), "value\n─────\n12345\n auto\n");
}

TEST(TextTable, FillsMissingCellsAndLeavesNoTrailingBlanks) {
  TextTable table({"a", "b", "c"});
  table.add_row({"long cell"});
  EXPECT_EQ(table.to_string(), "a          b  c\n─────────  ─  ─\nlong cell\n");
}

TEST(TextTable, ShortensOnlyTextUntilItFitsThePage) {
  TextTable table({"kernel", "source", "count"});
  table.add_row({std::string(90, 'k'), std::string(50, 's'), "123,456,789,012"});
  const std::string text = table.to_string();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_NE(text.find("123,456,789,012"), std::string::npos);
  EXPECT_NE(text.find("kkk…  sss"), std::string::npos) << text;
}

TEST(TextTable, CutsBetweenCharactersNotInsideThem) {
  TextTable table({"name"});
  table.add_row({"ééééééééééé"});
  EXPECT_EQ(table.to_string({.width = 8}), "name\n────────\nééééééé…\n");
}

TEST(TextTable, KeepsNumbersWholeEvenOnAPageTooNarrow) {
  TextTable table({"n"});
  table.add_row({"1,000,000"});
  EXPECT_EQ(table.to_string({.width = 4}), "        n\n─────────\n1,000,000\n");
}

TEST(TextTable, RefusesMoreCellsThanHeadings) {
  TextTable table({"only"});
  EXPECT_THROW(table.add_row({"a", "b"}), InternalError);
}

}  // namespace
}  // namespace raddle
