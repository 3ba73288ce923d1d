// Papers as files, the judgement of their claims, and figures of runs by path.
#include "experiment/paper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.h"
#include "experiment/claim_judgement.h"
#include "experiment/run_figure.h"

namespace raddle::experiment {
namespace {

constexpr const char* kHead =
    "schema = \"raddle.paper/1\"\nname = \"p\"\ntitle = \"T\"\nauthors = \"A\"\nvenue = \"V\"\n"
    "machines = [\"ref\"]\n";

constexpr const char* kGroups = R"(
[[group]]
name = "g"
machine = "ref"
run = [
  { label = "small", program = "one", values = { N = 4 } },
  { label = "large", program = "two", kernel = "main*", values = { N = 6 } },
]
)";

Paper paper_with(const std::string& claims, const std::string& groups = kGroups) {
  return paper_from_toml(kHead + claims, "claims.toml", groups, "measurements.toml");
}

std::string claim(const std::string& fields) {
  return "[[claim]]\nid = \"c\"\ntext = \"t\"\nwhere = \"w\"\nunit = \"u\"\n" + fields;
}

// Two launches, main_kernel with 10·N cycles and other_kernel with 1000.
RunResult run_of(const MeasuredRun& run) {
  RunResult result;
  result.program = run.program;
  machine::LaunchResult launch;
  launch.kernel = "main_kernel(float*)";
  launch.cycles = static_cast<std::uint64_t>(10 * run.values.at("N"));
  launch.memory.push_back({.level = "global", .load_accesses = 7});
  launch.histograms.push_back({"distance", "threads", "s", {{1, 3}, {5, 1}}});
  add_launch(result, launch);
  launch.kernel = "other_kernel(float*)";
  launch.cycles = 1000;
  add_launch(result, launch);
  return result;
}

std::vector<Judgement> judged(const Paper& paper) {
  MeasuredGroups groups(paper);
  for (const RunGroup* group : groups.missing_for_claims()) {
    std::vector<RunResult> results;
    for (const MeasuredRun& run : group->runs) results.push_back(run_of(run));
    groups.add(*group, std::move(results));
  }
  EXPECT_TRUE(groups.missing_for_claims().empty());
  return judge(paper, groups);
}

Judgement judged(const std::string& fields) {
  static Paper paper;  // judgements point into it
  paper = paper_with(claim(fields));
  return judged(paper).at(0);
}

std::string error_of(const std::string& claims, const std::string& groups = kGroups) {
  try {
    paper_with(claims, groups);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Paper, AllOfThemCanBeRead) {
  std::size_t claims = 0;
  for (const std::string& name : paper_names()) {
    const Paper paper = load_paper(name);
    EXPECT_EQ(paper.name, name);
    claims += paper.claims.size();
    // Every expression is evaluated, with ones for what has not been run: a misspelt group, label
    // or function is an Error.
    MeasuredGroups groups(paper);
    EXPECT_FALSE(groups.missing_for_claims().empty()) << name;
    for (const PaperFigure& figure : paper.figures) (void)groups.missing_for(figure);
  }
  EXPECT_EQ(paper_names().size(), 5U);
  EXPECT_GE(claims, 155U);
}

// A number that looks measured: with a fraction, a percent sign, thousands apart, or cycles.
std::vector<std::string> measured_numbers(const std::string& text) {
  static const std::regex pattern(
      R"((^|[^A-Za-z0-9_.=])(\d+\.\d+|\d{1,3}(,\d{3})+|\d[\d.]*(?=%| cycles))(?![A-Za-z]))");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[2]);
  return found;
}

// The text without {EXPRESSIONS} and without [what is cited from elsewhere].
std::string own_words(const std::string& text) {
  std::string words;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (depth == 0) words += c;
    if (c == '}' || c == ']') --depth;
  }
  return words;
}

TEST(Paper, ReasonsHoldNoMeasuredNumberThatWasCopied) {
  EXPECT_EQ(measured_numbers("SRAD3 and n1.5 lose 12% in 1,024 cycles, 3.5 and 64 threads"),
            (std::vector<std::string>{"12", "1,024", "3.5"}));
  EXPECT_EQ(own_words("it is {max(g.x{\"a\"}):.1f} [paper: 3.5]."), "it is  .");
  for (const std::string& name : paper_names()) {
    for (const Claim& entry : load_paper(name).claims) {
      EXPECT_THAT(measured_numbers(own_words(entry.why.text)), testing::IsEmpty())
          << name << ", claim " << entry.id
          << ": write {EXPRESSION}, or [where the number is from]";
    }
  }
}

TEST(Paper, ExpressionsAreAFewReadableLines) {
  for (const std::string& name : paper_names()) {
    for (const Claim& entry : load_paper(name).claims) {
      for (const SpecText* expression :
           {&entry.measure, &entry.measure_maximum, &entry.holds, &entry.expected}) {
        EXPECT_LE(expression->text.size(), 500u) << name << ", claim " << entry.id;
      }
    }
  }
}

TEST(Paper, GroupsBecomeASweep) {
  const Paper paper = paper_with("", R"(
[[group]]
name = "g"
machine = "ref"
set = ["multiprocessors=8"]
run = [
  { label = "a", program = "x", arguments = ["1"] },
  { label = "b", program = "x", set = ["multiprocessors=16"] },
]
)");
  const Sweep sweep = sweep_of(paper, {&paper.groups[0]});
  EXPECT_EQ(sweep.name, "p");
  EXPECT_EQ(sweep.axes, (std::vector<std::string>{"group", "run"}));
  ASSERT_EQ(sweep.cells.size(), 2u);
  EXPECT_EQ(sweep.cells[0].name, "g a");
  EXPECT_EQ(sweep.cells[0].arguments, (std::vector<std::string>{"1"}));
  EXPECT_EQ(sweep.cells[1].labels, (std::vector<std::string>{"g", "b"}));
  EXPECT_EQ(sweep.cells[1].assignments,
            (std::vector<std::string>{"multiprocessors=8", "multiprocessors=16"}));
  EXPECT_NE(sweep.cells[0].parameters_hash, sweep.cells[1].parameters_hash);
}

TEST(Paper, GroupsShareListsOfProgramsAndAddArgumentsOfTheirOwn) {
  const Paper paper = paper_with("", R"(
[[programs]]
name = "two"
run = [{ label = "a", program = "x", arguments = ["1"] }, { label = "b", program = "y" }]

[[group]]
name = "g"
machine = "ref"
programs = "two"
run = [{ label = "c", program = "z" }]
arguments = ["2", "3"]
)");
  ASSERT_EQ(paper.groups.size(), 1u);
  const RunGroup& group = paper.groups[0];
  ASSERT_EQ(group.runs.size(), 3u);
  EXPECT_EQ(group.runs[0].arguments, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(group.runs[1].program, "y");
  EXPECT_EQ(group.runs[2].arguments, (std::vector<std::string>{"2", "3"}));
}

TEST(Paper, RefusesAListOfProgramsThatIsNotThere) {
  try {
    (void)paper_with("", "[[group]]\nname = \"g\"\nmachine = \"ref\"\nprograms = \"none\"\n");
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown programs 'none'");
  }
}

TEST(Paper, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(error_of(claim("kind = \"value\"\npaper = 4\nmesure = \"\"\n")),
            "claims.toml:14: unknown field 'mesure'\nhint: did you mean 'measure'?");
  EXPECT_EQ(error_of(claim("kind = \"valu\"\npaper = 4\n")),
            "claims.toml:12: the field 'kind' is 'valu'\nhint: did you mean 'value'?");
  EXPECT_EQ(error_of(claim("kind = \"value\"\n")), "claims.toml:7: the field 'paper' is missing");
  EXPECT_EQ(error_of(claim("kind = \"values\"\npaper = [1, 2]\nlabels = [\"a\"]\n")),
            "claims.toml:7: claim c has 2 values and 1 labels");
  EXPECT_EQ(error_of(claim("kind = \"order\"\npaper = \"A\"\nmeasure = \"1\"\n")),
            "claims.toml:7: claim c is measured but does not say when it holds\nhint: write: holds "
            "= \"EXPRESSION\"");
  const std::string twice = claim("kind = \"value\"\npaper = 4\n");
  EXPECT_EQ(error_of(twice + twice), "claims.toml: claim c is defined twice");
}

TEST(ClaimJudgement, IsMetWithinTenPercent) {
  const Judgement near = judged("kind = \"value\"\npaper = 44\nmeasure = \"g.cycles * 0 + 40\"\n");
  EXPECT_EQ(near.verdict, Verdict::kMissed);  // two values against one
  const Judgement met = judged("kind = \"value\"\npaper = 44\nmeasure = \"min(g.N) * 10\"\n");
  EXPECT_EQ(met.verdict, Verdict::kMet);
  EXPECT_DOUBLE_EQ(*met.error, -4.0 / 44);
  const Judgement missed = judged(
      "kind = \"value\"\npaper = 50\nmeasure = \"min(g.N) * 10\"\nwhy = \"because of "
      "{max(g.N):.1f}\"\n");
  EXPECT_EQ(missed.verdict, Verdict::kMissed);
  EXPECT_EQ(missed.why, "because of 6.0");
}

TEST(ClaimJudgement, OfSeveralValuesIsThatOfTheWorst) {
  const Judgement met = judged("kind = \"values\"\npaper = [4, 6.5]\nmeasure = \"g.N\"\n");
  EXPECT_EQ(met.verdict, Verdict::kMet);
  EXPECT_EQ(met.labels, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(judged("kind = \"values\"\npaper = [4, 8]\nmeasure = \"g.N\"\n").verdict,
            Verdict::kMissed);
}

TEST(ClaimJudgement, ChecksTheMaximumToo) {
  const std::string fields =
      "kind = \"value\"\npaper = 5\nmaximum = 9\nmeasure = \"mean(g.N)\"\nmeasure_maximum = ";
  EXPECT_EQ(judged(fields + "\"max(g.N)\"\n").verdict, Verdict::kMissed);
  EXPECT_EQ(judged(fields + "\"max(g.N) + 3\"\n").verdict, Verdict::kMet);
}

TEST(ClaimJudgement, OfAnOrderIsWhetherItHolds) {
  EXPECT_EQ(judged("kind = \"order\"\npaper = [\"a\", \"b\"]\nmeasure = \"g.N\"\nholds = \"g.N > "
                   "3\"\n")
                .verdict,
            Verdict::kMet);
  EXPECT_EQ(judged("kind = \"order\"\npaper = [\"a\", \"b\"]\nmeasure = \"g.N\"\nholds = \"g.N > "
                   "4\"\n")
                .verdict,
            Verdict::kMissed);
}

TEST(ClaimJudgement, OfAFormulaIsExact) {
  const std::string fields = "kind = \"formula\"\npaper = \"N*N\"\nexpected = \"g.N * g.N\"\n";
  EXPECT_EQ(judged(fields + "measure = \"g.N * g.N\"\n").verdict, Verdict::kMet);
  EXPECT_EQ(judged(fields + "measure = \"g.N * g.N + 1\"\n").verdict, Verdict::kMissed);
}

TEST(ClaimJudgement, NeverMeetsWhatContradictsItselfOrIsAnInput) {
  const std::string value = "kind = \"value\"\npaper = 4\nmeasure = \"min(g.N)\"\n";
  const Judgement odd = judged(value + "contradiction = \"at odds\"\n");
  EXPECT_EQ(odd.verdict, Verdict::kContradictory);
  EXPECT_EQ(odd.measured, (std::vector<double>{4}));
  EXPECT_EQ(judged(value + "input = true\n").verdict, Verdict::kNotMeasured);
  EXPECT_EQ(judged("kind = \"value\"\npaper = 4\nmeasure = \"\"\n").verdict, Verdict::kNotMeasured);
}

TEST(ClaimJudgement, CountsOnlyTheChosenKernels) {
  // "small" counts both launches, "large" only main_kernel.
  const Judgement judgement =
      judged("kind = \"values\"\npaper = [1040, 60]\nmeasure = \"g.cycles\"\n");
  EXPECT_EQ(judgement.measured, (std::vector<double>{1040, 60}));
}

TEST(ClaimJudgement, NamesTheClaimWhoseExpressionIsWrong) {
  try {
    judged("kind = \"value\"\npaper = 4\nmeasure = \"g.cycels\"\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "claims.toml:14: claim c: unknown figure 'cycels'\nhint: did you mean 'cycles'?");
  }
}

TEST(MeasuredGroups, AsksForMoreOnceValuesAreKnown) {
  // With ones for what is not known the second group is not asked for.
  const Paper paper =
      paper_with(claim("kind = \"value\"\npaper = 4\nmeasure = \"max(g.cycles) > 9 and "
                       "max(h.cycles) or 0\"\n"),
                 std::string(kGroups) +
                     "[[group]]\nname = \"h\"\nmachine = \"ref\"\nrun = [{ program = "
                     "\"one\", values = { N = 4 } }]\n");
  MeasuredGroups groups(paper);
  EXPECT_EQ(groups.missing_for_claims(), (std::vector<const RunGroup*>{&paper.groups[0]}));
  groups.add(paper.groups[0], {run_of(paper.groups[0].runs[0]), run_of(paper.groups[0].runs[1])});
  EXPECT_EQ(groups.missing_for_claims(), (std::vector<const RunGroup*>{&paper.groups[1]}));
}

TEST(ClaimJudgement, IsWrittenAsJson) {
  const Paper paper = paper_with(
      claim("kind = \"values\"\npaper = [4, 6]\nlabels = [\"a\", \"b\"]\nmeasure = \"g.N\"\n"));
  const auto document = nlohmann::json::parse(to_claims_json(paper, judged(paper)));
  EXPECT_EQ(document["schema"], "raddle.claims/1");
  EXPECT_EQ(document["paper"], "p");
  const auto& entry = document["claims"][0];
  EXPECT_EQ(entry["verdict"], "met");
  EXPECT_EQ(entry["measured"], nlohmann::json({4.0, 6.0}));
  EXPECT_EQ(entry["fitted"], false);
  EXPECT_EQ(entry["error"], 0.0);
}

TEST(RunFigure, IsFoundByItsPath) {
  const MeasuredRun run{"l", "p", {}, "", {{"N", 4}}};
  const RunResult result = run_of(run);
  const auto figure = [&](const std::vector<std::string>& path) {
    return run_figure(result, path);
  };
  EXPECT_EQ(figure({"cycles"}), 1040);
  EXPECT_EQ(figure({"launches"}), 2);
  EXPECT_EQ(figure({"memory", "global", "load_accesses"}), 14);
  EXPECT_EQ(figure({"histogram", "distance", "total"}), 8);
  EXPECT_EQ(figure({"histogram", "distance", "within", "1"}), 6);
  EXPECT_EQ(figure({"histogram", "distance", "within", "4.9"}), 6);
  EXPECT_EQ(figure({"histogram", "distance", "within", "5"}), 8);
  try {
    figure({"energy"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "the machine does not model energy");
  }
}

}  // namespace
}  // namespace raddle::experiment
