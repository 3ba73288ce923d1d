#include "experiment/measure_expression.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace raddle::experiment {
namespace {

Series lookup(std::span<const std::string> path) {
  std::string name;
  for (const std::string& part : path) name += (name.empty() ? "" : "/") + part;
  if (name == "gpu/seconds") return {{8, 18, 2}, {"a", "b", "c"}};
  if (name == "fabric/seconds") return {{2, 2, 2}, {"a", "b", "c"}};
  if (name == "gpu/stall/wait: DRAM") return {{5, 6, 7}, {"a", "b", "c"}};
  if (name == "two/seconds") return {{1, 2}, {"a", "b"}};
  throw Error("there is no figure '" + name + "'", {}, "look again");
}

std::vector<double> values(std::string_view expression) {
  return evaluate(expression, lookup).values;
}

std::string error_of(std::string_view expression) {
  try {
    evaluate(expression, lookup);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

using Numbers = std::vector<double>;

TEST(MeasureExpression, ComputesElementByElement) {
  EXPECT_EQ(values("gpu.seconds / fabric.seconds"), (Numbers{4, 9, 1}));
  EXPECT_EQ(values("100 * gpu.seconds"), (Numbers{800, 1800, 200}));
  EXPECT_EQ(evaluate("gpu.seconds + 1", lookup).labels, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(MeasureExpression, BindsTheUsualWay) {
  EXPECT_EQ(values("1 + 2 * 3 - 4 / 2"), (Numbers{5}));
  EXPECT_EQ(values("10 - 3 - 2"), (Numbers{5}));
  EXPECT_EQ(values("(1 + 2) * -3"), (Numbers{-9}));
  EXPECT_EQ(values("1 < 2 and 3 < 2 or 1 == 1"), (Numbers{1}));
  EXPECT_EQ(values("1 + 1 >= 3"), (Numbers{0}));
}

TEST(MeasureExpression, SumsUp) {
  EXPECT_DOUBLE_EQ(values("geomean(gpu.seconds / fabric.seconds)")[0], 3.3019272488946263);
  EXPECT_EQ(values("mean(two.seconds)"), (Numbers{1.5}));
  EXPECT_EQ(values("sum(two.seconds) + count(two.seconds)"), (Numbers{5}));
  EXPECT_EQ(values("max(gpu.seconds) - min(gpu.seconds)"), (Numbers{16}));
  EXPECT_EQ(values("all(gpu.seconds >= fabric.seconds)"), (Numbers{1}));
  EXPECT_EQ(values("any(gpu.seconds < fabric.seconds)"), (Numbers{0}));
  EXPECT_EQ(values("ceil(18 / 16)"), (Numbers{2}));
}

TEST(MeasureExpression, TakesQuotedPartsAndLists) {
  EXPECT_EQ(values("gpu.stall.\"wait: DRAM\""), (Numbers{5, 6, 7}));
  EXPECT_EQ(values("[sum(two.seconds), 4]"), (Numbers{3, 4}));
  EXPECT_EQ(values("[two.seconds, 4, gpu.seconds[b]]"), (Numbers{1, 2, 4, 18}));
}

TEST(MeasureExpression, ChoosesRunsByLabel) {
  EXPECT_EQ(values("gpu.seconds[b]"), (Numbers{18}));
  EXPECT_EQ(values("(gpu.seconds / fabric.seconds)[\"c\", a]"), (Numbers{1, 4}));
  EXPECT_EQ(evaluate("gpu.seconds[c, a]", lookup).labels, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(values("sum(gpu.seconds[a, b] - two.seconds)"), (Numbers{23}));
  EXPECT_EQ(error_of("gpu.seconds[a, d]"), "column 16 of `gpu.seconds[a, d]`: there is no run 'd'");
  EXPECT_EQ(error_of("sum(gpu.seconds)[a]"),
            "column 18 of `sum(gpu.seconds)[a]`: there is no run 'a'");
  EXPECT_EQ(error_of("gpu.seconds[a"),
            "column 14 of `gpu.seconds[a`: a closing bracket is missing here");
  EXPECT_EQ(groups_of("gpu.seconds[a] / sum(two.seconds[b])"),
            (std::vector<std::string>{"gpu", "two"}));
}

TEST(MeasureExpression, ChoosesRunsWhoseLabelsMatch) {
  const FigureLookup sizes = [](std::span<const std::string>) {
    return Series{{1, 2, 3, 4}, {"scan_1", "scan_2", "lud_1", "lud_2"}};
  };
  EXPECT_EQ(evaluate("g.x[*_2] - g.x[*_1]", sizes).values, (Numbers{1, 1}));
  EXPECT_EQ(evaluate("g.x[lud*, scan_1]", sizes).labels,
            (std::vector<std::string>{"lud_1", "lud_2", "scan_1"}));
  EXPECT_THROW(evaluate("g.x[*_3]", sizes), Error);
}

TEST(MeasureExpression, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("1 +"), "column 4 of `1 +`: a value is missing here");
  EXPECT_EQ(error_of("(1"), "column 3 of `(1`: a closing parenthesis is missing here");
  EXPECT_EQ(error_of("1 2"), "column 3 of `1 2`: an operator is missing here");
  EXPECT_EQ(error_of("geomaen(1)"),
            "column 1 of `geomaen(1)`: there is no function 'geomaen'\nhint: did you mean "
            "'geomean'?");
  EXPECT_EQ(error_of("1 + gpu.joules"),
            "column 5 of `1 + gpu.joules`: there is no figure 'gpu/joules'\nhint: look again");
  EXPECT_EQ(error_of("gpu.seconds / two.seconds"),
            "column 13 of `gpu.seconds / two.seconds`: 3 values on the left, 2 on the right");
  EXPECT_EQ(error_of("gpu.\"x"), "column 6 of `gpu.\"x`: the quotation does not end");
  EXPECT_EQ(error_of("[1, two.seconds"),
            "column 16 of `[1, two.seconds`: a closing bracket is missing here");
}

}  // namespace
}  // namespace raddle::experiment
