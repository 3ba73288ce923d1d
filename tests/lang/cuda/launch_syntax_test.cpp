#include "lang/cuda/launch_syntax.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

std::string joined(std::string_view source) {
  return join_launch_brackets(source).value_or("unchanged");
}

TEST(LaunchSyntax, JoinsSpacedBracketsAndKeepsEveryColumn) {
  EXPECT_EQ(joined("k<< <g, b>> >(p);"), "k<<< g, b>>> (p);");
  EXPECT_EQ(joined("k << < g, b >> > (p);"), "k <<<  g, b >>>  (p);");
}

TEST(LaunchSyntax, KeepsLinesWhenBracketsAreOnDifferentOnes) {
  EXPECT_EQ(joined("k<<\n<1, 2>>\n>(p);"), "k<<<\n1, 2>>>\n(p);");
}

TEST(LaunchSyntax, JoinsMixedForms) {
  EXPECT_EQ(joined("k<<<g, b>> >(p);"), "k<<<g, b>>> (p);");
  EXPECT_EQ(joined("k<< <g, b>>>(p);"), "k<<< g, b>>>(p);");
}

TEST(LaunchSyntax, JoinsLaunchesOfTemplates) {
  EXPECT_EQ(joined("k<A<int> ><< <dim3(f(1), 2), 3>> >(p);"),
            "k<A<int> ><<< dim3(f(1), 2), 3>>> (p);");
}

TEST(LaunchSyntax, JoinsEveryLaunchOfASource) {
  EXPECT_EQ(joined("a<< <1,2>> >(); x = 1 << 2; b<< <3,4>> >();"),
            "a<<< 1,2>>> (); x = 1 << 2; b<<< 3,4>>> ();");
}

TEST(LaunchSyntax, LeavesSourcesWithoutSuchLaunchesAlone) {
  EXPECT_EQ(joined("k<<<g, b>>>(p); std::cout << x << y; v = a >> b;"), "unchanged");
  EXPECT_EQ(joined("std::map<int, std::vector<A<int>> > m; int x = y >> z;"), "unchanged");
  EXPECT_EQ(joined(""), "unchanged");
}

TEST(LaunchSyntax, LeavesTemplateOperatorsAlone) {
  EXPECT_EQ(joined("friend std::ostream& operator<< <T>(std::ostream&, const A<T>&);"),
            "unchanged");
}

TEST(LaunchSyntax, LeavesCommentsAndLiteralsAlone) {
  EXPECT_EQ(joined("// k<< <1, 2>> >(p)\n"), "unchanged");
  EXPECT_EQ(joined("/* k<< <1, 2>> >(p) */"), "unchanged");
  EXPECT_EQ(joined("puts(\"k<< <1, 2>> >(p)\");"), "unchanged");
  EXPECT_EQ(joined("puts(R\"x(k<< <1, 2>> >(p))\" )x\");"), "unchanged");
  EXPECT_EQ(joined("char c = '\"'; k<< <1, 2>> >(p); c = '\"';"),
            "char c = '\"'; k<<< 1, 2>>> (p); c = '\"';");
  EXPECT_EQ(joined("int n = 1'000; k<< <1'0, 2>> >(p);"), "int n = 1'000; k<<< 1'0, 2>>> (p);");
}

}  // namespace
}  // namespace raddle::cuda
