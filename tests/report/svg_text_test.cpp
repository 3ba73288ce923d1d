#include "report/charts/svg_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/xml_reader.h"

namespace raddle::report {
namespace {

TEST(SvgText, EscapesWhatXmlReservesAndReplacesWhatItCannotHold) {
  EXPECT_EQ(xml_escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(xml_escaped("µ → …"), "µ → …");
  EXPECT_EQ(xml_escaped(std::string_view("a\0b\x1b[31m", 8)), "a\uFFFDb\uFFFD[31m");
  EXPECT_EQ(xml_escaped("line\nline"), "line\nline");
}

TEST(SvgText, ReplacesBrokenUtf8ByteByByte) {
  EXPECT_EQ(xml_escaped("\xff"), "\uFFFD");
  EXPECT_EQ(xml_escaped("\xc3"), "\uFFFD");                // cut off
  EXPECT_EQ(xml_escaped("\xc0\xaf"), "\uFFFD\uFFFD");      // too long for '/'
  EXPECT_EQ(xml_escaped("\xed\xa0\x80x"), "\uFFFDx");      // half a surrogate pair
  EXPECT_EQ(xml_escaped("\xf4\x90\x80\x80x"), "\uFFFDx");  // beyond Unicode
}

TEST(SvgText, MeasuresWideLettersAsWider) {
  EXPECT_GT(text_width("WWW", 10), 2 * text_width("iii", 10));
  EXPECT_DOUBLE_EQ(text_width("abc", 20), 2 * text_width("abc", 10));
  EXPECT_EQ(text_width("", 10), 0);
}

TEST(SvgText, CutsWhatDoesNotFitWithAnEllipsis) {
  EXPECT_EQ(fitted_text("short", 10, 100), "short");
  const std::string cut = fitted_text("a rather long name", 10, 60);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(text_width(cut, 10), 60);
  EXPECT_EQ(fitted_text("two words", 10, text_width("two …", 10)), "two…");
  EXPECT_EQ(fitted_text("µµµµµµµµµµ", 10, 30), "µµ…");
  EXPECT_EQ(fitted_text("anything", 10, 3), "");
}

TEST(SvgText, WritesNumbersShort) {
  EXPECT_EQ(svg_number(1), "1");
  EXPECT_EQ(svg_number(1.5), "1.5");
  EXPECT_EQ(svg_number(1.0 / 3), "0.33");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(std::numeric_limits<double>::quiet_NaN()), "0");
}

TEST(XmlReader, RefusesWhatIsNotWellFormed) {
  EXPECT_NO_THROW(read_xml("<a b=\"1\"><c/>&lt;</a>"));
  for (const char* bad : {"<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>",
                          "<a/><b/>", "<a>&nbsp;</a>", "<a b=\"<\"/>", "<a b=\"1\"c=\"2\"/>"})
    EXPECT_THROW(read_xml(bad), std::runtime_error) << bad;
}

}  // namespace
}  // namespace raddle::report
