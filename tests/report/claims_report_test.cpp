#include "report/text/claims_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text_table.h"
#include "report/text/text_wrap.h"

namespace raddle::report {
namespace {

using experiment::Claim;
using experiment::Judgement;
using experiment::Paper;
using experiment::Verdict;
using testing::HasSubstr;

std::string report_of(const Paper& paper, const std::vector<Judgement>& judgements) {
  return claims_report(paper, judgements, {.colour = false});
}

// The words of the claims' column, line by line.
std::string without_layout(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += word + " ";
  return all;
}

TEST(ClaimsReport, FitsTheScreenAndCutsNoClaimShort) {
  for (const std::string& name : experiment::paper_names()) {
    const Paper paper = experiment::load_paper(name);
    for (const Claim& claim : paper.claims) {
      Judgement judgement;
      judgement.claim = &claim;
      judgement.expected = claim.paper;
      const std::string report = report_of(paper, {judgement});
      std::istringstream lines(report);
      for (std::string line; std::getline(lines, line);)
        EXPECT_LE(display_width(line), kScreenColumns) << line;
      // Only the first line of a claim has other cells beside it.
      const std::size_t last_blank = claim.text.rfind(' ');
      EXPECT_THAT(without_layout(report), HasSubstr(claim.text.substr(last_blank + 1))) << claim.id;
    }
  }
}

TEST(ClaimsReport, GoesOnWithALongClaimInTheNextLine) {
  Claim claim;
  claim.id = "d1";
  claim.text =
      "Mean speedup of a machine with a rather long name over one that has a long one, too";
  claim.unit = "ratio";
  Judgement judgement;
  judgement.claim = &claim;
  judgement.expected = {4.5};
  judgement.measured = {4.4};
  judgement.error = -0.022;
  judgement.verdict = Verdict::kMet;
  EXPECT_THAT(
      report_of({}, {judgement}),
      HasSubstr("d1     Mean speedup of a machine with a rather long name  ratio    4.5       4.4"
                "  -2.2 %  met\n"
                "       over one that has a long one, too\n"));
}

TEST(ClaimsReport, StatesTheMaximumBesideTheMean) {
  Claim claim;
  claim.id = "d1a";
  claim.text = "Speedup";
  claim.unit = "ratio";
  claim.maximum = 13.5;
  Judgement judgement;
  judgement.claim = &claim;
  judgement.expected = {4.5};
  EXPECT_THAT(report_of({}, {judgement}), HasSubstr("4.5, max 13.5"));
  judgement.measured = {4.2};
  judgement.maximum = 12;
  EXPECT_THAT(report_of({}, {judgement}), HasSubstr("4.2, max 12"));
}

}  // namespace
}  // namespace raddle::report
