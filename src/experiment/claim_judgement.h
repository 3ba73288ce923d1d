// What was measured for each claim of a paper and what follows: met, missed, contradictory or not
// measured. Results of runs come from whoever calls, so that this knows nothing of processes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/measure_expression.h"
#include "experiment/paper.h"
#include "experiment/run_result.h"

namespace raddle::experiment {

inline constexpr std::string_view kClaimsSchema = "raddle.claims/1";
// Within this share of the paper's value a claim is met.
inline constexpr double kTolerance = 0.1;

enum class Verdict { kMet, kMissed, kContradictory, kNotMeasured };
std::string_view name_of(Verdict verdict);

struct Judgement {
  const Claim* claim = nullptr;
  std::vector<double>
      expected;  // what the paper says, in numbers; a formula's at the sizes that were run
  std::vector<double> measured;
  std::vector<std::string> labels;  // of measured values
  std::optional<double> maximum;    // measured, where the paper states one beside its value
  std::optional<double>
      error;  // relative, the worst of them; none where there is no number to compare
  Verdict verdict = Verdict::kNotMeasured;
  std::string why;  // of a verdict that is not met
};

// The results of a paper's groups, and the values of its expressions over them.
class MeasuredGroups {
 public:
  explicit MeasuredGroups(const Paper& paper);

  // Groups that expressions have asked for, or will ask for to judge the claims or to draw the
  // figure, and whose results are not there yet. It is found out by evaluating them with ones in
  // the place of what is not known: an expression that goes by values may then ask for more.
  std::vector<const RunGroup*> missing_for_claims();
  std::vector<const RunGroup*> missing_for(const PaperFigure& figure);
  // One result for each run of the group, in its order.
  void add(const RunGroup& group, std::vector<RunResult> results);

  // A claim's expression or text; an Error names the claim.
  Series evaluate(const Claim& claim, const SpecText& expression);
  std::string filled_in(const Claim& claim, const SpecText& text);
  // An expression of a figure.
  Series evaluate(const SpecText& expression);
  // The results of a group; throws Error for an unknown one.
  const std::vector<RunResult>& results(const std::string& group);

 private:
  Series figure(std::span<const std::string> path);
  const RunGroup& find(const std::string& name) const;
  std::vector<const RunGroup*> take_missing();

  const Paper& paper_;
  std::map<std::string, std::vector<RunResult>> results_;
  std::vector<const RunGroup*> missing_;
  Expressions expressions_;
};

std::vector<Judgement> judge(const Paper& paper, MeasuredGroups& groups);

// The document raddle.claims/1.
std::string to_claims_json(const Paper& paper, const std::vector<Judgement>& judgements);

}  // namespace raddle::experiment
