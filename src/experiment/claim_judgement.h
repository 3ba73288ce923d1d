// What was measured for each claim of a paper and what follows: met, missed, contradictory or not
// measured. Runs come from whoever calls, so that this knows nothing of processes.
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

// Runs one program of a group.
using RunOne = std::function<RunResult(const RunGroup&, const MeasuredRun&)>;

// Finds figures of a paper's groups, running each group when it is first asked for.
class MeasuredGroups {
 public:
  MeasuredGroups(const Paper& paper, RunOne run_one)
      : paper_(paper), run_one_(std::move(run_one)) {}

  // GROUP.FIGURE… as in run_figure.h, or GROUP.NAME of a run's `values`.
  Series figure(std::span<const std::string> path);
  // The runs of a group; throws Error for an unknown one.
  const std::vector<RunResult>& results(const std::string& group);

 private:
  const Paper& paper_;
  RunOne run_one_;
  std::map<std::string, std::vector<RunResult>> results_;
};

std::vector<Judgement> judge(const Paper& paper, MeasuredGroups& groups);

// The document raddle.claims/1.
std::string to_claims_json(const Paper& paper, const std::vector<Judgement>& judgements);

}  // namespace raddle::experiment
