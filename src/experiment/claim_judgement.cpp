#include "experiment/claim_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "experiment/run_figure.h"

namespace raddle::experiment {

namespace {

using Json = nlohmann::ordered_json;

double relative_error(double measured, double paper) {
  if (paper == 0) return measured == 0 ? 0 : INFINITY;
  return (measured - paper) / std::abs(paper);
}

// The error that is farthest from zero; nothing where the numbers do not stand against each other.
std::optional<double> worst_error(const std::vector<double>& measured,
                                  const std::vector<double>& paper) {
  if (measured.empty() || measured.size() != paper.size()) return std::nullopt;
  double worst = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double error = relative_error(measured[i], paper[i]);
    if (std::isnan(error) || std::abs(error) > std::abs(worst)) worst = error;
  }
  return worst;
}

class Judge {
 public:
  explicit Judge(MeasuredGroups& groups)
      : lookup_([&groups](std::span<const std::string> path) { return groups.figure(path); }) {}

  Judgement judge(const Claim& claim) {
    Judgement judgement;
    judgement.claim = &claim;
    judgement.expected = claim.paper;
    if (claim.measure.empty()) {
      judgement.verdict =
          claim.contradiction.empty() ? Verdict::kNotMeasured : Verdict::kContradictory;
      judgement.why = claim.contradiction.empty() ? unmeasured(claim) : claim.contradiction;
      return judgement;
    }
    measure(claim, judgement);
    if (!claim.contradiction.empty()) {
      judgement.verdict = Verdict::kContradictory;
      judgement.why = claim.contradiction;
    } else if (claim.input) {
      judgement.verdict = Verdict::kNotMeasured;
      judgement.why = unmeasured(claim);
    } else {
      judgement.verdict = holds(claim, judgement) ? Verdict::kMet : Verdict::kMissed;
      if (judgement.verdict == Verdict::kMissed) judgement.why = claim.why;
    }
    return judgement;
  }

 private:
  static std::string unmeasured(const Claim& claim) {
    return claim.input ? "an input of programs written here: to find it again proves nothing"
                       : "nothing measures it yet";
  }

  Series value_of(const Claim& claim, const std::string& expression) const {
    try {
      return evaluate(expression, lookup_);
    } catch (const Error& error) {
      throw Error(fmt::format("claim {}: {}", claim.id, error.what()), error.where(), error.hint());
    }
  }

  void measure(const Claim& claim, Judgement& judgement) const {
    const Series measured = value_of(claim, claim.measure);
    judgement.measured = measured.values;
    judgement.labels = measured.labels;
    if (claim.kind == ClaimKind::kFormula)
      judgement.expected = value_of(claim, claim.expected).values;
    if (claim.maximum) judgement.maximum = value_of(claim, claim.measure_maximum).values.at(0);
    if (claim.kind != ClaimKind::kOrder && claim.kind != ClaimKind::kBound)
      judgement.error = worst_error(judgement.measured, judgement.expected);
  }

  bool holds(const Claim& claim, const Judgement& judgement) const {
    switch (claim.kind) {
      case ClaimKind::kOrder:
      case ClaimKind::kBound: {
        const Series truth = value_of(claim, claim.holds);
        return std::ranges::all_of(truth.values, [](double value) { return value != 0; });
      }
      case ClaimKind::kFormula: return judgement.error && *judgement.error == 0;
      default:
        return judgement.error && std::abs(*judgement.error) <= kTolerance &&
               (!claim.maximum ||
                std::abs(relative_error(*judgement.maximum, *claim.maximum)) <= kTolerance);
    }
  }

  FigureLookup lookup_;
};

Json numbers_json(const std::vector<double>& numbers) {
  if (numbers.empty()) return nullptr;
  if (numbers.size() == 1) return numbers[0];
  return numbers;
}

Json paper_json(const Claim& claim, const Judgement& judgement) {
  if (!judgement.expected.empty()) return numbers_json(judgement.expected);
  if (claim.paper_words.size() == 1) return claim.paper_words[0];
  return claim.paper_words;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"met", "missed", "contradictory", "not measured"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const std::vector<RunResult>& MeasuredGroups::results(const std::string& name) {
  const auto known = results_.find(name);
  if (known != results_.end()) return known->second;
  const RunGroup* group = paper_.find_group(name);
  if (group == nullptr) {
    std::vector<std::string> names;
    for (const RunGroup& other : paper_.groups) names.push_back(other.name);
    throw Error(fmt::format("there is no group of runs '{}'", name), {}, suggestion(name, names));
  }
  std::vector<RunResult> results;
  for (const MeasuredRun& run : group->runs) {
    RunResult result = run_one_(*group, run);
    results.push_back(run.kernel.empty() ? std::move(result) : only_kernels(result, run.kernel));
  }
  return results_.emplace(name, std::move(results)).first->second;
}

Series MeasuredGroups::figure(std::span<const std::string> path) {
  const std::vector<RunResult>& runs = results(path[0]);
  const RunGroup& group = *paper_.find_group(path[0]);
  const std::span<const std::string> rest = path.subspan(1);
  Series series;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const MeasuredRun& run = group.runs[i];
    const auto value = rest.size() == 1 ? run.values.find(rest[0]) : run.values.end();
    series.values.push_back(value != run.values.end() ? value->second : run_figure(runs[i], rest));
    series.labels.push_back(run.label);
  }
  return series;
}

std::vector<Judgement> judge(const Paper& paper, MeasuredGroups& groups) {
  Judge judge(groups);
  std::vector<Judgement> judgements;
  for (const Claim& claim : paper.claims) judgements.push_back(judge.judge(claim));
  return judgements;
}

std::string to_claims_json(const Paper& paper, const std::vector<Judgement>& judgements) {
  Json document;
  document["schema"] = std::string(kClaimsSchema);
  document["paper"] = paper.name;
  document["claims"] = Json::array();
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    Json entry;
    entry["id"] = claim.id;
    entry["text"] = claim.text;
    entry["where"] = claim.where;
    entry["unit"] = claim.unit;
    entry["paper"] = paper_json(claim, judgement);
    entry["measured"] = numbers_json(judgement.measured);
    const bool finite = judgement.error && std::isfinite(*judgement.error);
    entry["error"] = finite ? Json(*judgement.error) : Json(nullptr);
    entry["verdict"] = std::string(name_of(judgement.verdict));
    entry["fitted"] = claim.fitted;
    entry["why"] = judgement.why;
    if (claim.maximum) {
      entry["paper_maximum"] = *claim.maximum;
      entry["measured_maximum"] = judgement.maximum ? Json(*judgement.maximum) : Json(nullptr);
    }
    if (!judgement.labels.empty()) entry["labels"] = judgement.labels;
    document["claims"].push_back(std::move(entry));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace raddle::experiment
