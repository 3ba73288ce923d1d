#include "experiment/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/resource_paths.h"
#include "experiment/toml_fields.h"
#include "machine/machine.h"

namespace raddle::experiment {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "raddle.paper/1";

ClaimKind kind_of(const TomlFields& fields) {
  static const std::map<std::string, ClaimKind> kinds{{"value", ClaimKind::kValue},
                                                      {"values", ClaimKind::kValues},
                                                      {"order", ClaimKind::kOrder},
                                                      {"bound", ClaimKind::kBound},
                                                      {"formula", ClaimKind::kFormula}};
  return fields.choice("kind", kinds);
}

// A number, numbers, a text or texts.
void read_paper_value(const TomlFields& fields, Claim& claim) {
  if (fields.is_text("paper")) {
    claim.paper_words = {fields.text("paper")};
  } else if (fields.is_number("paper")) {
    claim.paper = {fields.number("paper")};
  } else if (fields.holds_texts("paper")) {
    claim.paper_words = fields.texts("paper");
  } else {
    claim.paper = fields.numbers("paper");
  }
}

Claim read_claim(const TomlFields& fields) {
  Claim claim;
  claim.id = fields.text("id");
  claim.text = fields.text("text");
  claim.where = fields.text("where");
  claim.unit = fields.text("unit");
  claim.kind = kind_of(fields);
  read_paper_value(fields, claim);
  claim.labels = fields.texts_or("labels");
  if (fields.has("maximum")) claim.maximum = fields.number("maximum");
  claim.contradiction = fields.text_or("contradiction");
  claim.note = fields.text_or("note");
  claim.input = fields.boolean_or("input", false);
  claim.fitted = fields.boolean_or("fitted", false);
  claim.measure = fields.spec_text_or("measure");
  claim.measure_maximum = fields.spec_text_or("measure_maximum");
  claim.holds = fields.spec_text_or("holds");
  claim.expected = fields.spec_text_or("expected");
  claim.why = fields.spec_text_or("why");
  fields.refuse_others();
  if (!claim.labels.empty() && claim.labels.size() != claim.paper.size()) {
    fields.fail(fmt::format("claim {} has {} values and {} labels", claim.id, claim.paper.size(),
                            claim.labels.size()));
  }
  if (claim.maximum && !claim.measure.text.empty() && claim.measure_maximum.text.empty())
    fields.fail(fmt::format("claim {} is measured, but not its maximum", claim.id),
                "write: measure_maximum = \"EXPRESSION\"");
  const bool judged_by_rule = claim.kind == ClaimKind::kOrder || claim.kind == ClaimKind::kBound;
  if (judged_by_rule && !claim.measure.text.empty() && claim.holds.text.empty())
    fields.fail(fmt::format("claim {} is measured but does not say when it holds", claim.id),
                "write: holds = \"EXPRESSION\"");
  if (claim.kind == ClaimKind::kFormula && !claim.measure.text.empty() &&
      claim.expected.text.empty())
    fields.fail(fmt::format("claim {} is measured but does not say what to expect", claim.id),
                "write: expected = \"EXPRESSION\"");
  return claim;
}

MeasuredRun read_run(const TomlFields& fields) {
  MeasuredRun run;
  run.program = fields.text("program");
  run.arguments = fields.texts_or("arguments");
  run.label = fields.has("label") ? fields.text("label") : run.program;
  run.assignments = fields.texts_or("set");
  run.kernel = fields.text_or("kernel");
  run.values = fields.number_table_or("values");
  fields.refuse_others();
  return run;
}

// Runs that several groups make, each with a machine and arguments of its own.
using ProgramLists = std::map<std::string, std::vector<MeasuredRun>>;

ProgramLists read_program_lists(const TomlFields& root) {
  ProgramLists lists;
  for (TomlFields& fields : root.tables("programs")) {
    std::vector<MeasuredRun>& list = lists[fields.text("name")];
    for (TomlFields& run : fields.tables("run")) list.push_back(read_run(run));
    fields.refuse_others();
  }
  return lists;
}

RunGroup read_group(const TomlFields& fields, const ProgramLists& lists) {
  RunGroup group;
  group.name = fields.text("name");
  group.machine = fields.text("machine");
  group.assignments = fields.texts_or("set");
  if (fields.has("programs")) {
    const auto list = lists.find(fields.text("programs"));
    if (list == lists.end())
      fields.fail(fmt::format("unknown programs '{}'", fields.text("programs")),
                  "write a table [[programs]] with this name");
    group.runs = list->second;
  }
  for (TomlFields& run : fields.tables("run")) group.runs.push_back(read_run(run));
  for (const std::string& argument : fields.texts_or("arguments")) {
    for (MeasuredRun& run : group.runs) run.arguments.push_back(argument);
  }
  fields.refuse_others();
  if (group.runs.empty()) fields.fail(fmt::format("group {} has no runs", group.name));
  return group;
}

PaperFigure read_figure(const TomlFields& fields) {
  static const std::map<std::string, FigureKind> kinds{{"cdf", FigureKind::kCdf},
                                                       {"bars", FigureKind::kBars},
                                                       {"stacked", FigureKind::kStacked},
                                                       {"lines", FigureKind::kLines}};
  PaperFigure figure;
  figure.id = fields.text("id");
  figure.title = fields.text("title");
  figure.where = fields.text("where");
  figure.kind = fields.choice("kind", kinds);
  figure.x_title = fields.text_or("x_title");
  figure.y_title = fields.text_or("y_title");
  figure.logarithmic = fields.boolean_or("logarithmic", false);
  for (TomlFields& line : fields.tables("line")) {
    figure.lines.push_back({line.text("name"), line.spec_text_or("measure"), line.text_or("group"),
                            line.text_or("histogram"), line.spec_text_or("x")});
    if (figure.kind == FigureKind::kLines && figure.lines.back().x.text.empty())
      line.fail("a line of this figure needs 'x', the places of its values");
    line.refuse_others();
  }
  fields.refuse_others();
  return figure;
}

void check_unique_ids(const Paper& paper, const std::string& file) {
  std::vector<std::string> seen;
  for (const Claim& claim : paper.claims) {
    if (std::ranges::find(seen, claim.id) != seen.end())
      throw Error(fmt::format("claim {} is defined twice", claim.id), file);
    seen.push_back(claim.id);
  }
}

}  // namespace

const RunGroup* Paper::find_group(std::string_view group) const {
  const auto found = std::ranges::find(groups, group, &RunGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

Paper paper_from_toml(std::string_view claims, const std::string& claims_file,
                      std::string_view measurements, const std::string& measurements_file) {
  TomlDocument document(claims, claims_file);
  TomlFields fields = document.root();
  Paper paper;
  if (fields.text("schema") != kSchema)
    fields.fail(fmt::format("the schema is '{}', not '{}'", fields.text("schema"), kSchema));
  paper.name = fields.text("name");
  paper.title = fields.text("title");
  paper.authors = fields.text("authors");
  paper.venue = fields.text("venue");
  paper.machines = fields.texts("machines");
  paper.definitions = fields.spec_text_or("definitions");
  paper.claims_file = claims_file;
  paper.measurements_file = measurements_file;
  for (TomlFields& claim : fields.tables("claim")) paper.claims.push_back(read_claim(claim));
  fields.refuse_others();
  check_unique_ids(paper, claims_file);
  if (measurements.empty()) return paper;

  TomlDocument runs(measurements, measurements_file);
  TomlFields root = runs.root();
  const ProgramLists lists = read_program_lists(root);
  for (TomlFields& group : root.tables("group")) paper.groups.push_back(read_group(group, lists));
  for (TomlFields& figure : root.tables("figure")) paper.figures.push_back(read_figure(figure));
  root.refuse_others();
  return paper;
}

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(resource_paths().root / "papers", error)) {
    if (fs::exists(entry.path() / "claims.toml")) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Paper load_paper(const std::string& name) {
  const std::vector<std::string> known = paper_names();
  if (std::ranges::find(known, name) == known.end()) {
    const std::string near = suggestion(name, known);
    throw Error(fmt::format("unknown paper '{}'", name), {},
                near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
  }
  const fs::path folder = resource_paths().root / "papers" / name;
  const fs::path claims = folder / "claims.toml";
  const fs::path measurements = folder / "measurements.toml";
  const std::string text = fs::exists(measurements) ? read_file(measurements) : std::string();
  return paper_from_toml(read_file(claims), claims.string(), text, measurements.string());
}

Sweep sweep_of(const Paper& paper, const std::vector<const RunGroup*>& groups) {
  Sweep sweep{paper.name, paper.measurements_file, {"group", "run"}, {}, {}};
  for (const RunGroup* group : groups) {
    const machine::ParameterTable of_machine = machine::load_parameters(group->machine);
    for (const MeasuredRun& run : group->runs) {
      SweepCell cell;
      cell.name = fmt::format("{} {}", group->name, run.label);
      cell.labels = {group->name, run.label};
      cell.program = run.program;
      cell.program_place = paper.measurements_file;
      cell.arguments = run.arguments;
      cell.machine = group->machine;
      cell.assignments = group->assignments;
      cell.assignments.insert(cell.assignments.end(), run.assignments.begin(),
                              run.assignments.end());
      machine::ParameterTable parameters = of_machine;
      for (const std::string& assignment : cell.assignments) parameters.set(assignment);
      cell.parameters_hash = parameters.hash();
      sweep.cells.push_back(std::move(cell));
    }
  }
  return sweep;
}

}  // namespace raddle::experiment
