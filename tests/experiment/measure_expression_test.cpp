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
  if (name == "gpu/stall/L2 misses") return {{5, 6, 7}, {"a", "b", "c"}};
  if (name == "gpu/distance/within/16") return {{1, 2, 3}, {"a", "b", "c"}};
  if (name == "two/seconds") return {{1, 2}, {"a", "b"}};
  if (name == "sizes/x") return {{1, 2, 3, 4}, {"scan_1", "scan_2", "lud_1", "lud_2"}};
  throw Error("unknown figure '" + name + "'", {}, "look again");
}

const std::vector<std::string> kGroups{"gpu", "fabric", "two", "sizes"};

Series evaluated(const std::string& expression, const std::string& definitions = "") {
  Expressions expressions(kGroups, lookup);
  expressions.define({definitions, 1}, "claims.toml");
  return expressions.evaluate({expression, 7}, "claims.toml");
}

std::vector<double> values(const std::string& expression) { return evaluated(expression).values; }

std::string filled_in(const std::string& text) {
  return Expressions(kGroups, lookup).filled_in({text, 7}, "claims.toml");
}

template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::string error_in(const std::string& expression) {
  return error_of([&] { evaluated(expression); });
}

using Numbers = std::vector<double>;
using Labels = std::vector<std::string>;

TEST(MeasureExpression, ComputesElementByElement) {
  EXPECT_EQ(values("gpu.seconds / fabric.seconds"), (Numbers{4, 9, 1}));
  EXPECT_EQ(values("100 * gpu.seconds"), (Numbers{800, 1800, 200}));
  EXPECT_EQ(values("-two.seconds + 3 - 1"), (Numbers{1, 0}));
  EXPECT_EQ(evaluated("gpu.seconds + 1").labels, (Labels{"a", "b", "c"}));
  EXPECT_TRUE(evaluated("1 + 2 * 3").single());
}

TEST(MeasureExpression, ComparesForEveryRun) {
  EXPECT_EQ(values("gpu.seconds >= fabric.seconds"), (Numbers{1}));
  EXPECT_EQ(values("gpu.seconds > fabric.seconds"), (Numbers{0}));
  EXPECT_EQ(values("gpu.seconds < 19 and 1 < two.seconds + 1"), (Numbers{1}));
}

TEST(MeasureExpression, SumsUp) {
  EXPECT_DOUBLE_EQ(values("geomean(gpu.seconds / fabric.seconds)")[0], 3.3019272488946263);
  EXPECT_EQ(values("mean(two.seconds)"), (Numbers{1.5}));
  EXPECT_EQ(values("sum(two.seconds) + count(two.seconds)"), (Numbers{5}));
  EXPECT_EQ(values("max(gpu.seconds) - min(gpu.seconds)"), (Numbers{16}));
  EXPECT_EQ(values("max{gpu.seconds, 30}"), (Numbers{30}));
  EXPECT_EQ(values("ceil(two.seconds / 2)"), (Numbers{1, 1}));
}

TEST(MeasureExpression, TakesPartsInBracketsAndRows) {
  EXPECT_EQ(values("gpu.stall[\"L2 misses\"]"), (Numbers{5, 6, 7}));
  EXPECT_EQ(values("gpu.distance.within[16]"), (Numbers{1, 2, 3}));
  EXPECT_EQ(values("{sum(two.seconds), 4}"), (Numbers{3, 4}));
  EXPECT_EQ(values("{two.seconds, 4, gpu.seconds{\"b\"}}"), (Numbers{1, 2, 4, 18}));
  EXPECT_EQ(evaluated("{two.seconds, 4}").labels, (Labels{"1", "2", "3"}));
}

TEST(MeasureExpression, ChoosesRunsByLabel) {
  EXPECT_EQ(values("gpu.seconds\"b\""), (Numbers{18}));
  EXPECT_TRUE(evaluated("gpu.seconds\"b\"").single());
  EXPECT_EQ(values("(gpu.seconds / fabric.seconds){\"c\", \"a\"}"), (Numbers{1, 4}));
  EXPECT_EQ(evaluated("gpu.seconds{\"c\", \"a\"}").labels, (Labels{"c", "a"}));
  EXPECT_EQ(values("sizes.x{\"*_2\"} - sizes.x{\"*_1\"}"), (Numbers{1, 1}));
  EXPECT_EQ(evaluated("sizes.x{\"lud*\", \"scan_1\"}").labels,
            (Labels{"lud_1", "lud_2", "scan_1"}));
  EXPECT_EQ(values("gpu.seconds(above(gpu.seconds, 4 * fabric.seconds))"), (Numbers{18}));
  EXPECT_EQ(values("#below(gpu.seconds, 10)"), (Numbers{2}));
  EXPECT_EQ(error_in("gpu.seconds{\"a\", \"d\"}"), "claims.toml:7: unknown run 'd'");
  EXPECT_EQ(error_in("sizes.x\"lud_3\""),
            "claims.toml:7: unknown run 'lud_3'\nhint: did you mean 'lud_1'?");
}

TEST(MeasureExpression, LoopsAndFindsTheBest) {
  EXPECT_EQ(values("map({1, 2}, function(n) return n * gpu.seconds\"a\" end)"), (Numbers{8, 16}));
  EXPECT_EQ(values("argmin({\"a\", \"b\", \"c\"}, function(l) return gpu.seconds(l) end) == \"c\""),
            (Numbers{1}));
  EXPECT_EQ(values("argmax({4, 2, 8}, function(n) return -n end)"), (Numbers{2}));
  EXPECT_EQ(values("local total = 0\nfor _, name in ipairs({\"gpu\", \"fabric\"}) do\n"
                   "  total = total + sum(group(name).seconds)\nend\nreturn total"),
            (Numbers{34}));
}

TEST(MeasureExpression, CallsFunctionsOfThePaper) {
  const std::string definitions = "function speedup(g) return gpu.seconds / g.seconds end";
  EXPECT_EQ(evaluated("speedup(fabric)", definitions).values, (Numbers{4, 9, 1}));
}

TEST(MeasureExpression, SaysWhatIsWrongAndOnWhichLine) {
  EXPECT_EQ(error_in("1 +"), "claims.toml:7: unexpected symbol near <eof>");
  EXPECT_EQ(error_in("local x = 1\n\nreturn x +* 2"), "claims.toml:9: unexpected symbol near '*'");
  EXPECT_EQ(error_in("geomaen(1)"),
            "claims.toml:7: unknown group or function 'geomaen'\nhint: did you mean 'geomean'?");
  EXPECT_EQ(error_in("local x = 1\nreturn x + gpu.joules"),
            "claims.toml:8: unknown figure 'gpu/joules'\nhint: look again");
  EXPECT_EQ(error_in("gpu.seconds / two.seconds"),
            "claims.toml:7: 3 values on the left, 2 on the right");
  EXPECT_EQ(error_in("gpu.seconds + \"x\""),
            "claims.toml:7: a number or a figure is expected here, not string");
  EXPECT_EQ(error_in("local x = {}\nreturn 1 + x.y"),
            "claims.toml:8: attempt to perform arithmetic on a nil value (field 'y')");
  EXPECT_EQ(error_of([] { evaluated("f()", "function f()\n  return gpu.joules + 1\nend"); }),
            "claims.toml:2: unknown figure 'gpu/joules'\nhint: look again");
}

TEST(MeasureExpression, ReachesNothingButItsFigures) {
  for (const char* name : {"os", "io", "load", "dofile", "require", "print", "string", "_G"})
    EXPECT_EQ(error_in(std::string(name) + ".x"),
              std::string("claims.toml:7: unknown group or function '") + name + "'");
  EXPECT_EQ(error_in("local x = 1\ncount = 2\nreturn x"),
            "claims.toml:8: 'count' is not declared; write: local count");
  EXPECT_EQ(error_in("local n = 0\nfor i = 1, 1e12 do n = n + i end\nreturn n"),
            "claims.toml:8: the expression does not end: more than 10000000 steps");
}

TEST(MeasureExpression, FillsTextsIn) {
  EXPECT_EQ(filled_in("gains {max(gpu.seconds / fabric.seconds):.1f} times, not 3"),
            "gains 9.0 times, not 3");
  EXPECT_EQ(filled_in("{1000 * sum(two.seconds):,} cycles, {gpu.stall[\"L2 misses\"]\"a\"}%"),
            "3,000 cycles, 5%");
  EXPECT_EQ(filled_in("{max{gpu.seconds, 30}:.0f} {{of}} {0 - 0.01:.0f}"), "30 {of} 0");
  EXPECT_EQ(error_of([] { filled_in("one\ntwo {gpu.seconds}"); }),
            "claims.toml:8: 'gpu.seconds' has 3 values; expected one");
  EXPECT_EQ(error_of([] { filled_in("{1"); }),
            "claims.toml:7: unmatched brace\nhint: write {{ for a brace");
}

}  // namespace
}  // namespace raddle::experiment
