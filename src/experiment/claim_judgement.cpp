#include "experiment/claim_judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

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
  explicit Judge(MeasuredGroups& groups) : groups_(groups) {}

  Judgement judge(const Claim& claim) {
    Judgement judgement;
    judgement.claim = &claim;
    judgement.expected = claim.paper;
    if (claim.measure.text.empty()) {
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
      if (judgement.verdict == Verdict::kMissed)
        judgement.why = groups_.filled_in(claim, claim.why);
    }
    return judgement;
  }

 private:
  static std::string unmeasured(const Claim& claim) {
    return claim.input ? "an input: a parameter, or a property of this project's own programs, so "
                         "measuring it proves nothing"
                       : "nothing measures it yet";
  }

  void measure(const Claim& claim, Judgement& judgement) const {
    const Series measured = groups_.evaluate(claim, claim.measure);
    judgement.measured = measured.values;
    judgement.labels = measured.labels;
    if (claim.kind == ClaimKind::kFormula)
      judgement.expected = groups_.evaluate(claim, claim.expected).values;
    if (claim.maximum)
      judgement.maximum = groups_.evaluate(claim, claim.measure_maximum).values.at(0);
    if (claim.kind != ClaimKind::kOrder && claim.kind != ClaimKind::kBound)
      judgement.error = worst_error(judgement.measured, judgement.expected);
  }

  bool holds(const Claim& claim, const Judgement& judgement) const {
    switch (claim.kind) {
      case ClaimKind::kOrder:
      case ClaimKind::kBound: {
        const Series truth = groups_.evaluate(claim, claim.holds);
        return std::ranges::all_of(truth.values, [](double value) { return value != 0; });
      }
      case ClaimKind::kFormula: return judgement.error && *judgement.error == 0;
      default:
        return judgement.error && std::abs(*judgement.error) <= kTolerance &&
               (!claim.maximum ||
                std::abs(relative_error(*judgement.maximum, *claim.maximum)) <= kTolerance);
    }
  }

  MeasuredGroups& groups_;
};

std::vector<std::string> names_of(const std::vector<RunGroup>& groups) {
  std::vector<std::string> names;
  for (const RunGroup& group : groups) names.push_back(group.name);
  return names;
}

template <class Evaluate>
auto naming(const Claim& claim, Evaluate evaluate) {
  try {
    return evaluate();
  } catch (const Error& error) {
    throw Error(fmt::format("claim {}: {}", claim.id, error.what()), error.where(), error.hint());
  }
}

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

MeasuredGroups::MeasuredGroups(const Paper& paper)
    : paper_(paper),
      expressions_(names_of(paper.groups),
                   [this](std::span<const std::string> path) { return figure(path); }) {
  expressions_.define(paper.definitions, paper.claims_file);
}

const RunGroup& MeasuredGroups::find(const std::string& name) const {
  if (const RunGroup* group = paper_.find_group(name)) return *group;
  throw Error(fmt::format("unknown group of runs '{}'", name), {},
              suggestion(name, names_of(paper_.groups)));
}

const std::vector<RunResult>& MeasuredGroups::results(const std::string& name) {
  const RunGroup& group = find(name);
  const auto known = results_.find(name);
  if (known != results_.end()) return known->second;
  if (std::ranges::find(missing_, &group) == missing_.end()) missing_.push_back(&group);
  static const std::vector<RunResult> none;
  return none;
}

void MeasuredGroups::add(const RunGroup& group, std::vector<RunResult> results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& kernel = group.runs.at(i).kernel;
    if (!kernel.empty()) results[i] = only_kernels(results[i], kernel);
  }
  results_[group.name] = std::move(results);
}

// GROUP.FIGURE… as in run_figure.h, or GROUP.NAME of a run's `values`.
Series MeasuredGroups::figure(std::span<const std::string> path) {
  const std::vector<RunResult>& known = results(path[0]);
  const std::span<const std::string> rest = path.subspan(1);
  Series series;
  const std::vector<MeasuredRun>& runs = find(path[0]).runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto value = rest.size() == 1 ? runs[i].values.find(rest[0]) : runs[i].values.end();
    const bool is_given = value != runs[i].values.end();
    series.values.push_back(is_given        ? value->second
                            : known.empty() ? 1
                                            : run_figure(known[i], rest));
    series.labels.push_back(runs[i].label);
  }
  return series;
}

Series MeasuredGroups::evaluate(const Claim& claim, const SpecText& expression) {
  return naming(claim, [&] { return expressions_.evaluate(expression, paper_.claims_file); });
}

std::string MeasuredGroups::filled_in(const Claim& claim, const SpecText& text) {
  return naming(claim, [&] { return expressions_.filled_in(text, paper_.claims_file); });
}

Series MeasuredGroups::evaluate(const SpecText& expression) {
  return expressions_.evaluate(expression, paper_.measurements_file);
}

std::vector<const RunGroup*> MeasuredGroups::take_missing() { return std::exchange(missing_, {}); }

std::vector<const RunGroup*> MeasuredGroups::missing_for_claims() {
  for (const Claim& claim : paper_.claims) {
    for (const SpecText* expression :
         {&claim.measure, &claim.measure_maximum, &claim.holds, &claim.expected}) {
      if (!expression->text.empty()) evaluate(claim, *expression);
    }
    filled_in(claim, claim.why);
  }
  return take_missing();
}

std::vector<const RunGroup*> MeasuredGroups::missing_for(const PaperFigure& figure) {
  for (const PaperFigure::Line& line : figure.lines) {
    for (const SpecText* expression : {&line.measure, &line.x}) {
      if (!expression->text.empty()) evaluate(*expression);
    }
    if (!line.group.empty()) results(line.group);
  }
  return take_missing();
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
