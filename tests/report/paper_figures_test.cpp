#include "report/page/paper_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/svg_checks.h"

namespace raddle::report {
namespace {

using experiment::MeasuredGroups;
using experiment::Paper;
using experiment::PaperFigure;
using experiment::RunResult;

Paper paper_of(const PaperFigure& figure) {
  Paper paper;
  paper.groups.push_back(
      {"g", "ref", {}, {{"few", "few", {}, "", {}}, {"many", "many", {}, "", {}}}});
  paper.figures.push_back(figure);
  return paper;
}

// `few` counted a distance of 1 twice; `many` a distance of 9 two thousand times.
RunResult run_of(const experiment::MeasuredRun& run) {
  const bool is_few = run.label == "few";
  RunResult result;
  result.program = run.program;
  machine::LaunchResult launch;
  launch.cycles = is_few ? 10 : 30;
  launch.histograms.push_back(
      {"distance", "threads", "s", {{is_few ? 1.0 : 9.0, is_few ? 2U : 2000U}}});
  add_launch(result, launch);
  return result;
}

std::string svg_of_figure(const PaperFigure& figure) {
  const Paper paper = paper_of(figure);
  MeasuredGroups groups(paper);
  const std::vector<experiment::MeasuredRun>& runs = paper.groups[0].runs;
  groups.add(paper.groups[0], {run_of(runs[0]), run_of(runs[1])});
  EXPECT_TRUE(groups.missing_for(paper.figures[0]).empty());
  return paper_figure_svg(paper.figures[0], groups);
}

TEST(PaperFigure, WeighsEveryRunOfADistributionTheSame) {
  const std::string text = svg_of_figure({.id = "figure-1",
                                          .title = "T",
                                          .where = "w",
                                          .kind = experiment::FigureKind::kCdf,
                                          .x_title = "threads",
                                          .y_title = "words",
                                          .lines = {{"linear", {}, "g", "distance"}}});
  const XmlElement svg = checked_svg(text);
  EXPECT_THAT(texts_of(svg, "axis-title"),
              testing::UnorderedElementsAre("share of words at or below", "threads"));
  // Half of the weight lies at 1 although all but two of the words were 9 apart.
  EXPECT_THAT(text, testing::HasSubstr("median 1, least 1, greatest 9, of 2002"));
}

TEST(PaperFigure, DrawsABarForEveryRun) {
  const XmlElement svg = checked_svg(svg_of_figure({.id = "figure-2",
                                                    .title = "T",
                                                    .where = "w",
                                                    .kind = experiment::FigureKind::kBars,
                                                    .x_title = "",
                                                    .y_title = "cycles",
                                                    .lines = {{"ref", {"g.cycles", 1}, "", ""}}}));
  EXPECT_THAT(texts_of(svg, "value"), testing::ElementsAre("10", "30"));
}

TEST(PaperFigure, StacksTheSharesOfEveryRun) {
  const std::string text = svg_of_figure(
      {.id = "figure-3",
       .title = "T",
       .where = "w",
       .kind = experiment::FigureKind::kStacked,
       .x_title = "",
       .y_title = "cycles",
       .lines = {{"used", {"g.cycles", 1}, "", ""}, {"idle", {"40 - g.cycles", 1}, "", ""}}});
  checked_svg(text);
  EXPECT_THAT(text, testing::HasSubstr("used"));
  EXPECT_THAT(text, testing::HasSubstr("75"));  // 30 of 40
}

TEST(PaperFigure, DrawsLinesThroughValuesAtTheirPlaces) {
  PaperFigure figure{.id = "figure-4",
                     .title = "T",
                     .where = "w",
                     .kind = experiment::FigureKind::kLines,
                     .x_title = "batches",
                     .y_title = "speedup",
                     .lines = {{"ref", {"g.cycles / 10", 1}, "", "", {"g.cycles", 1}}}};
  EXPECT_THAT(texts_of(checked_svg(svg_of_figure(figure)), "axis-title"),
              testing::UnorderedElementsAre("batches", "speedup"));
  figure.lines[0].x = {"{1, 2, 3}", 1};
  try {
    svg_of_figure(figure);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "figure-4: line 'ref' has 2 values at 3 places");
  }
}

TEST(PaperFigure, HasATitleThatIsNotCut) {
  for (const std::string& name : experiment::paper_names()) {
    for (PaperFigure figure : experiment::load_paper(name).figures) {
      figure.kind = experiment::FigureKind::kCdf;
      figure.lines.clear();
      EXPECT_THAT(texts_of(checked_svg(svg_of_figure(figure)), "title"),
                  testing::ElementsAre(figure.title))
          << name << " " << figure.id;
    }
  }
}

}  // namespace
}  // namespace raddle::report
