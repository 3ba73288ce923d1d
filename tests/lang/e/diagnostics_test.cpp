// What the front end says about programs that are wrong: exact words, place, caret and hint.
#include <gtest/gtest.h>

#include "reading.h"

namespace raddle::e::test {
namespace {

TEST(EDiagnostics, ShowsPlaceCaretAndHint) {
  EXPECT_EQ(errors_of("int A_[4];\n#4: A_[$] = 2 * conut;\nint count;"),
            "t.e:2:17: unknown name 'conut'\n"
            "  #4: A_[$] = 2 * conut;\n"
            "                  ^~~~~");
  EXPECT_EQ(errors_of("int count;\ncount = conut;"),
            "t.e:2:9: unknown name 'conut'\n"
            "  count = conut;\n"
            "          ^~~~~\n"
            "  hint: did you mean 'count'?");
}

TEST(EDiagnostics, ReportsSeveralErrorsInOneRun) {
  EXPECT_EQ(errors_of("int a = ;\nint b = 3 +;\nint c = 4"),
            "t.e:1:9: expected an expression, found ';'\n"
            "  int a = ;\n"
            "          ^\n"
            "t.e:2:12: expected an expression, found ';'\n"
            "  int b = 3 +;\n"
            "             ^\n"
            "t.e:3:10: expected ';' here, found the end of the file\n"
            "  int c = 4\n"
            "           ^\n  hint: statements and declarations end with ';'");
}

TEST(EDiagnostics, KeepsTheCaretUnderItsCharacterBehindTabs) {
  EXPECT_EQ(errors_of("int x;\n\tx = y;"), "t.e:2:6: unknown name 'y'\n  \tx = y;\n  \t    ^");
}

TEST(EDiagnostics, StopsShowingAfterTwentyErrors) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "a" + std::to_string(i) + " = 1;\n";
  const std::string errors = errors_of(text);
  EXPECT_NE(errors.find("and 5 more errors"), std::string::npos) << errors;
}

struct Case {
  const char* text;
  const char* message;
  const char* hint;
};

class EMessages : public testing::TestWithParam<Case> {};

TEST_P(EMessages, SayWhatIsWrong) {
  const std::string errors = errors_of(GetParam().text);
  const std::string first_line = errors.substr(0, errors.find('\n'));
  EXPECT_EQ(first_line, GetParam().message) << errors;
  const std::size_t hint = errors.find("  hint: ");
  const std::string shown = hint == std::string::npos ? "" : errors.substr(hint + 8);
  EXPECT_EQ(shown.substr(0, shown.find('\n')), GetParam().hint) << errors;
}

INSTANTIATE_TEST_SUITE_P(
    Lexical, EMessages,
    testing::Values(
        Case{"int x = @;", "t.e:1:9: this character is not part of e", ""},
        Case{"int x = 12ab;", "t.e:1:9: malformed number", ""},
        Case{"int x = 99999999999999999999;", "t.e:1:9: the number does not fit into 64 bits",
             "the largest is 0xffffffffffffffff, which is -1"},
        Case{"/* x", "t.e:1:1: unterminated comment", "end it with */"},
        Case{"int A_[1] = file(\"x);", "t.e:1:18: unterminated string", "end it with \""},
        Case{"int x = 'ab';", "t.e:1:9: expected one character between quotes", ""}));

INSTANTIATE_TEST_SUITE_P(
    Syntax, EMessages,
    testing::Values(
        Case{"{ int x;", "t.e:1:1: this '{' is never closed", "add the missing '}'"},
        Case{"}", "t.e:1:1: unmatched '}'", ""},
        Case{"int x; x++;", "t.e:1:9: '++' is not an operator of e", "write += 1"},
        Case{"else ;", "t.e:1:1: 'else' without an 'if' before it", ""},
        Case{"int x_; #2: multi(MUL, x_, 1);",
             "t.e:1:19: 'MUL' is not an operator of multioperations",
             "the operators are ADD, SUB, AND, OR, MAX, MAXU, MIN and MINU"},
        Case{"int x = min(1);", "t.e:1:9: 'min' takes 2 arguments, not 1", ""},
        Case{"par 3;", "t.e:1:5: expected '{', '(' or 'for', found '3'",
             "par { a; b; } runs statements as flows of their own, par (i : n) statement runs n "
             "flows, par for (…) one for each iteration"}));

INSTANTIATE_TEST_SUITE_P(
    Names, EMessages,
    testing::Values(
        Case{"int x; int x;", "t.e:1:12: 'x' is declared twice", "the first is on line 1"},
        Case{"int A_[4]; A_ = 1;", "t.e:1:12: 'A_' is an array and needs an index", "write A_[…]"},
        Case{"int x; x[1] = 1;", "t.e:1:8: 'x' is not an array",
             "declare it with a size: int x[…]"},
        Case{"int A_[2][2]; A_[1] = 1;", "t.e:1:15: 'A_' takes 2 indices, not 1", "write A_[…][…]"},
        Case{"int A_[2]; A_[2] = 1;", "t.e:1:15: index 2 is outside A_[2]",
             "indices go from 0 to 1"},
        Case{"const N = 3; N = 4;", "t.e:1:14: 'N' is a constant",
             "declare a variable with int; a param changes only on the command line"},
        Case{"int n; int A_[n];", "t.e:1:15: the size of an array must be constant", ""},
        Case{"int A_[0];", "t.e:1:8: an array cannot have 0 elements", "it has one or more"},
        Case{"int A_[2] = {1, 2, 3};", "t.e:1:5: 3 values do not fit into 'A_' of 2",
             "give it 3 elements or more"},
        Case{"int x; x == 1;", "t.e:1:10: expected '=' or a compound assignment, found '=='",
             "= assigns; == compares, as in if (a == b)"},
        Case{"f(1);", "t.e:1:1: unknown function 'f'", ""},
        Case{"void f(int a) {} f(1, 2);", "t.e:1:18: 'f' takes 1 argument, not 2", ""},
        Case{"int A_[4], p_; #4: A_[$] = prefix(ADD, A_[$]);",
             "t.e:1:28: 'prefix' is a statement and has no value",
             "prefix(p, OP, target, value); leaves each fiber's prefix in p"},
        Case{"int A_[4], s_; s_ = multi(ADD, A_[$]);",
             "t.e:1:21: 'multi' is a statement and has no value",
             "multi(OP, target, value); combines into the target; reduce(OP, value) gives a value"},
        Case{"printf(\"x\");", "t.e:1:8: a text has no value",
             "check { print(\"x is \", x_); } writes texts and values when the run has ended"},
        Case{"void f() { f(); }", "t.e:1:6: 'f' calls itself",
             "recursion is not supported: functions are expanded where they are called, as flows "
             "have no stack; write a loop"},
        Case{"int f() { }", "t.e:1:5: 'f' can end without a value", "end it with a return"},
        Case{"output B_ to \"x\";", "t.e:1:8: unknown name 'B_'", ""},
        Case{"{ int A_[3]; }",
             "t.e:1:7: shared variables are declared outside of functions and blocks",
             "move the declaration to the top level"},
        Case{"short x;", "t.e:1:1: 'short' is not a type of e",
             "the types are int, float and double: int x"},
        Case{"unsigned int x;", "t.e:1:1: 'unsigned' is not a type of e",
             "the types are int, float and double"},
        Case{"float x = 1.5z;", "t.e:1:11: malformed number", ""},
        Case{"int x = 4 / 0;", "t.e:1:11: division by zero", ""}));

INSTANTIATE_TEST_SUITE_P(
    Ranks, EMessages,
    testing::Values(
        Case{"int x; #4: x = $;",
             "t.e:1:16: 'x' is common to the flow and cannot take a value per fiber",
             "declare x$ for one value per fiber, or use reduce(OP, value)"},
        Case{"int x; #4: if ($) x = 1;",
             "t.e:1:19: 'x' is common to the flow and cannot be assigned where fibers diverge",
             "declare x$ for one value per fiber"},
        Case{"#$: ;",
             "t.e:1:2: the thickness must be common to the flow, this is a value per fiber",
             "reduce(OP, value) makes one value of those of all fibers"},
        Case{"#4: { int x$; #2: x$ = 1; }",
             "t.e:1:19: 'x$' belongs to the fibers of another thickness",
             "fibers pass values through shared memory: store it into an array first"},
        Case{"#4: { int x$; # = 3; }",
             "t.e:1:15: the fibers of 'x$' would change with the thickness",
             "declare it in a block after this, or use '#e: statement', which keeps it"},
        Case{"#4: if ($) #2: ;", "t.e:1:12: the thickness cannot change where fibers diverge",
             "use split, whose branches are flows of their own"},
        Case{"int a[4]; int A_[4]; #4: A_[$] = a[$];",
             "t.e:1:34: the flow has 'a' once, so that fibers cannot index it",
             "make it shared: a_"},
        Case{"void f(int x) {} #4: f($);",
             "t.e:1:24: parameter 'x' of 'f' is common to the flow, this is a value per fiber",
             "declare the parameter as int x$"},
        Case{"#4: { int x$ = $$; }", "t.e:1:16: '$$' stands for a fiber's number before a split",
             "it is valid only directly inside the branches of split"},
        Case{"#4: while ($) break;", "t.e:1:15: 'break' is not allowed where fibers diverge",
             "all fibers of a flow take the same path; use the loop's condition"}));

INSTANTIATE_TEST_SUITE_P(
    Flows, EMessages,
    testing::Values(
        Case{"int x; par { x = 1; }",
             "t.e:1:14: 'x' belongs to the flow that started this one, which can only read it",
             "flows pass results through shared memory"},
        Case{"int x; void f() { x = 1; } par { f(); }",
             "t.e:1:34: 'f' assigns 'x' of the program's first flow and cannot be called here",
             "return the value instead"},
        Case{"#4: if ($) split ($) ;", "t.e:1:12: 'split' is not allowed where fibers diverge",
             "use split instead of the outer if, too"},
        Case{"while (1) par { break; }", "t.e:1:17: 'break' outside of a loop of this flow", ""},
        Case{"void f() { # = 3; }",
             "t.e:1:12: a function cannot change the thickness of its caller",
             "use '#e: statement' in the function, or assign to # where it is called"},
        Case{"#4: split ($) { # = 2; }",
             "t.e:1:17: the thickness of a branch of split is the number of its fibers",
             "use '#e: statement' inside the branch"}));

INSTANTIATE_TEST_SUITE_P(
    Constructs, EMessages,
    testing::Values(
        Case{"int x; #4: multi(ADD, x, 1);",
             "t.e:1:23: the target of a multioperation must be in shared memory",
             "the name of a shared variable ends in '_', 'x' does not"},
        Case{"int x_; #4: multi.3MP(ADD, x_, 1);",
             "t.e:1:19: '3MP' is not a technique for multioperations",
             "the techniques are FS, S2, BF, O2 and ML"},
        Case{"int x_; #4: { int p$; prefix.O2(p$, ADD, x_, 1); }",
             "t.e:1:30: 'O2' is not a technique for multiprefixes",
             "the techniques are FMP, 3MP, O3M, MPL, MPS and MMP"},
        Case{"int D_[4], n_; #4: compact(D_[1], n_, $, $);",
             "t.e:1:28: the destination of a compaction is a shared array with one index",
             "write its name without an index"},
        Case{"assert(1);", "t.e:1:1: 'assert' is valid only inside check", ""},
        Case{"check { int x = $; }", "t.e:1:17: fiber variables are not allowed in a check",
             "use a loop"},
        Case{"int A_[2]; check { A_[0] = 1; }", "t.e:1:20: a check cannot change shared memory",
             ""},
        Case{"int x = random(1, 2, 3);",
             "t.e:1:9: 'random' is valid only in initial values of shared arrays",
             "int A_[N] = [random(seed, least, greatest)];"}));

TEST(EDiagnostics, NamesParametersThatThereAreNot) {
  EXPECT_EQ(errors_of("param size = 3;", {{"sise", 4}}),
            "t.e:1:1: the program has no parameter 'sise'\n"
            "  param size = 3;\n"
            "  ^\n"
            "  hint: did you mean 'size'?");
}

TEST(EDiagnostics, LimitsTheDepthOfNesting) {
  EXPECT_NE(errors_of("int x = " + std::string(500, '(')).find("nested more than 200 levels deep"),
            std::string::npos);
  EXPECT_NE(errors_of(std::string(500, '{') + "int").find("and 1"), std::string::npos);
}

}  // namespace
}  // namespace raddle::e::test
