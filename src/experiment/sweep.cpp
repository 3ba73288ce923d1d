#include "experiment/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "base/content_hash.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/number_format.h"
#include "base/shell_words.h"
#include "experiment/result_figures.h"
#include "machine/machine.h"

namespace raddle::experiment {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCells = 100'000;

// Which value of each axis, by number.
using Choice = std::vector<const AxisValue*>;

std::vector<std::string> labels_of(const Choice& choice) {
  std::vector<std::string> labels;
  for (const AxisValue* value : choice) labels.push_back(value->label);
  return labels;
}

// Every combination, the last axis fastest.
std::vector<Choice> combinations(const std::vector<const std::vector<AxisValue>*>& axes) {
  std::vector<Choice> all{{}};
  for (const std::vector<AxisValue>* values : axes) {
    std::vector<Choice> longer;
    for (const Choice& choice : all) {
      for (const AxisValue& value : *values) {
        longer.push_back(choice);
        longer.back().push_back(&value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

void check_size(const SweepSpec& spec, const std::vector<const std::vector<AxisValue>*>& axes,
                unsigned line) {
  std::uint64_t cells = 1;
  for (const std::vector<AxisValue>* values : axes) {
    cells *= values->size();
    if (cells > kMaxCells)
      throw Error(fmt::format("the grid has more than {} cells", with_thousands(kMaxCells)),
                  spec_place(spec.file, line), "split it into several sweeps");
  }
}

bool matches(const SweepPart& part, const Choice& choice) {
  for (std::size_t axis = 0; axis < choice.size(); ++axis) {
    const std::vector<AxisValue>& wanted = part.values[axis];
    const auto same = [&](const AxisValue& value) { return value.label == choice[axis]->label; };
    if (!wanted.empty() && std::ranges::none_of(wanted, same)) return false;
  }
  return true;
}

void leave_out(const SweepSpec& spec, std::vector<Choice>& choices) {
  for (const SweepPart& part : spec.exclude) {
    std::erase_if(choices, [&](const Choice& choice) { return matches(part, choice); });
    if (choices.empty())
      throw Error("this [[exclude]] leaves no cell of the grid", spec_place(spec.file, part.line));
  }
}

void add_included(const SweepSpec& spec, std::vector<Choice>& choices) {
  std::set<std::vector<std::string>> present;
  for (const Choice& choice : choices) present.insert(labels_of(choice));
  for (const SweepPart& part : spec.include) {
    std::vector<const std::vector<AxisValue>*> axes;
    for (std::size_t axis = 0; axis < spec.axes.size(); ++axis)
      axes.push_back(part.values[axis].empty() ? &spec.axes[axis].values : &part.values[axis]);
    check_size(spec, axes, part.line);
    for (Choice& choice : combinations(axes)) {
      if (present.insert(labels_of(choice)).second) choices.push_back(std::move(choice));
    }
  }
}

std::vector<Choice> choices_of(const SweepSpec& spec) {
  std::vector<const std::vector<AxisValue>*> axes;
  for (const SweepAxis& axis : spec.axes) axes.push_back(&axis.values);
  check_size(spec, axes, spec.axes.empty() ? 1 : spec.axes.front().line);
  std::vector<Choice> choices = combinations(axes);
  leave_out(spec, choices);
  add_included(spec, choices);
  return choices;
}

// --- one cell ----------------------------------------------------------------------------------

// Turns a choice into a cell; keeps the machines' tables, which many cells share.
class CellMaker {
 public:
  explicit CellMaker(const SweepSpec& spec) : spec_(spec) {}

  SweepCell make(const Choice& choice) {
    merged_ = spec_.cell;
    values_.clear();
    for (std::size_t axis = 0; axis < choice.size(); ++axis) {
      values_[spec_.axes[axis].name] = choice[axis]->label;
      for (const auto& [key, texts] : choice[axis]->changes.fields) merged_.fields[key] = texts;
      for (const auto& [key, text] : choice[axis]->changes.set) merged_.set[key] = text;
    }
    SweepCell cell;
    cell.labels = labels_of(choice);
    fill_program(cell);
    fill_launch(cell);
    fill_machine(cell);
    return cell;
  }

 private:
  const SpecText* field(const char* key) const {
    const auto found = merged_.fields.find(key);
    return found == merged_.fields.end() || found->second.empty() ? nullptr
                                                                  : &found->second.front();
  }

  std::string text(const char* key) const {
    const SpecText* found = field(key);
    return found == nullptr ? std::string() : filled_in(found->text, values_);
  }

  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> list;
    const auto found = merged_.fields.find(key);
    if (found == merged_.fields.end()) return list;
    for (const SpecText& item : found->second) list.push_back(filled_in(item.text, values_));
    return list;
  }

  std::string place(const char* key) const {
    const SpecText* found = field(key);
    return found == nullptr ? spec_.file : spec_place(spec_.file, found->line);
  }

  template <class Number>
  Number number(const char* key, const char* kind) const {
    const std::string written = text(key);
    Number value = 0;
    if (written.empty()) return value;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    if (error != std::errc() || end != written.data() + written.size())
      throw Error(fmt::format("{} is '{}', not {}", key, written, kind), place(key));
    return value;
  }

  // Files of the user's lie where the spec says, not where the command was given.
  std::string from_spec(const std::string& path) const {
    if (fs::path(path).is_absolute()) return path;
    return (fs::path(spec_.file).parent_path() / path).lexically_normal().string();
  }

  static bool is_file(const std::string& program) {
    return program.find('/') != std::string::npos || !fs::path(program).extension().empty();
  }

  void fill_program(SweepCell& cell) const {
    cell.program = text("program");
    if (cell.program.empty())
      throw Error("the sweep names no program", spec_.file,
                  "write program = [\"matmul\"] under [axes]");
    cell.program_place = place("program");
    if (is_file(cell.program)) cell.program = from_spec(cell.program);
    cell.arguments = texts("arguments");
    cell.compile_flags = text("cc");
    for (const std::string& input : texts("inputs")) cell.inputs.push_back(from_spec(input));
    cell.inputs_place = place("inputs");
  }

  void fill_launch(SweepCell& cell) const {
    cell.kernel = text("kernel");
    cell.grid = text("grid");
    cell.block = text("block");
    cell.shared = text("shared");
    const std::string check = text("check");
    if (!check.empty() && check != "true" && check != "false")
      throw Error(fmt::format("check is '{}', not true or false", check), place("check"));
    cell.check = check == "true";
    cell.max_cycles = number<std::uint64_t>("max_cycles", "a whole number");
    cell.timeout_seconds = number<double>("timeout", "a number of seconds");
    if (!std::isfinite(cell.timeout_seconds) || cell.timeout_seconds < 0)
      throw Error(fmt::format("timeout is '{}', not a number of seconds", text("timeout")),
                  place("timeout"));
  }

  void fill_machine(SweepCell& cell) {
    if (field("machine") != nullptr) cell.machine = text("machine");
    if (cell.machine.ends_with(".toml")) cell.machine = from_spec(cell.machine);
    machine::ParameterTable parameters = table_of(cell.machine);
    for (const auto& [key, value] : merged_.set) {
      cell.assignments.push_back(fmt::format("{}={}", key, filled_in(value.text, values_)));
      try {
        parameters.set(cell.assignments.back());
      } catch (const Error& error) {
        throw Error(error.what(), spec_place(spec_.file, value.line), error.hint());
      }
    }
    cell.parameters_hash = parameters.hash();
  }

  const machine::ParameterTable& table_of(const std::string& name) {
    const auto found = tables_.find(name);
    if (found != tables_.end()) return found->second;
    try {
      return tables_.emplace(name, machine::load_parameters(name)).first->second;
    } catch (const Error& error) {
      // What is wrong inside a machine's own file is said with that file's line.
      if (!error.where().empty()) throw;
      throw Error(error.what(), place("machine"), error.hint());
    }
  }

  const SweepSpec& spec_;
  CellTemplate merged_;                        // of the cell in work
  std::map<std::string, std::string> values_;  // of its axes
  std::map<std::string, machine::ParameterTable> tables_;
};

std::string cell_name(const SweepSpec& spec, const SweepCell& cell) {
  std::string name;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    if (spec.axes[axis].values.size() < 2 &&
        cell.labels[axis] == spec.axes[axis].values.front().label)
      continue;
    if (!name.empty()) name += ' ';
    name += spec.axes[axis].name == "program"
                ? cell.labels[axis]
                : fmt::format("{}={}", spec.axes[axis].name, cell.labels[axis]);
  }
  return name.empty() ? cell.program : name;
}

void add_list(ContentHash& hash, const std::vector<std::string>& texts) {
  hash.add(std::to_string(texts.size()));
  for (const std::string& text : texts) hash.add(text);
}

const char* name_of(CellStatus status) {
  switch (status) {
    case CellStatus::kNotRun: return "not run";
    case CellStatus::kFailed: return "failed";
    case CellStatus::kDone: return "done";
  }
  return "";
}

// Columns that say what ran, unless an axis has the name already.
struct PlainColumn {
  const char* name;
  std::string (*value)(const SweepCell& cell);
};
constexpr PlainColumn kPlainColumns[] = {
    {"program", [](const SweepCell& cell) { return cell.program; }},
    {"machine", [](const SweepCell& cell) { return cell.machine; }},
    {"arguments", [](const SweepCell& cell) { return shell_quoted(cell.arguments); }},
    {"set", [](const SweepCell& cell) { return shell_quoted(cell.assignments); }}};

std::vector<const PlainColumn*> plain_columns(const Sweep& sweep) {
  std::vector<const PlainColumn*> columns;
  for (const PlainColumn& column : kPlainColumns) {
    if (std::ranges::find(sweep.axes, column.name) == sweep.axes.end()) columns.push_back(&column);
  }
  return columns;
}

std::vector<std::string> figure_fields(const CellOutcome& outcome) {
  if (outcome.status != CellStatus::kDone) return std::vector<std::string>(7);
  return {std::to_string(outcome.launches),
          std::to_string(outcome.cycles),
          csv_number(outcome.seconds),
          std::to_string(outcome.thread_instructions),
          std::to_string(outcome.warp_instructions),
          csv_number(outcome.ipc),
          outcome.energy ? csv_number(*outcome.energy) : ""};
}

}  // namespace

Sweep sweep_of(const SweepSpec& spec) {
  Sweep sweep{spec.name, spec.file, {}, spec.figures, {}};
  for (const SweepAxis& axis : spec.axes) sweep.axes.push_back(axis.name);
  CellMaker maker(spec);
  for (const Choice& choice : choices_of(spec)) {
    sweep.cells.push_back(maker.make(choice));
    sweep.cells.back().name = cell_name(spec, sweep.cells.back());
  }
  return sweep;
}

std::string cell_key(const CellIdentity& identity) {
  ContentHash hash;
  hash.add("raddle sweep cell 1").add(identity.raddle).add(identity.program);
  add_list(hash, identity.arguments);
  hash.add(identity.parameters_hash);
  add_list(hash, identity.launch);
  add_list(hash, identity.inputs);
  hash.add(identity.check ? "check" : "");
  return hash.hex();
}

CellOutcome outcome_of(const RunResult& result, const std::vector<std::string>& figures) {
  CellOutcome outcome;
  outcome.status = CellStatus::kDone;
  outcome.launches = result.totals.launches;
  outcome.cycles = result.totals.cycles;
  outcome.seconds = result.totals.seconds;
  outcome.thread_instructions = result.totals.thread_instructions;
  outcome.warp_instructions = result.totals.warp_instructions;
  outcome.ipc = result.totals.ipc();
  if (!result.totals.energy.empty()) outcome.energy = total_of(result.totals.energy);
  if (figures.empty()) return outcome;
  const std::vector<Figure> all = figures_of(result);
  for (const std::string& name : figures) {
    const auto found = std::ranges::find(all, name, &Figure::name);
    outcome.figures.push_back(found == all.end() ? std::nullopt : std::optional(found->value));
  }
  return outcome;
}

std::string sweep_csv(const Sweep& sweep, const std::vector<CellOutcome>& outcomes) {
  const std::vector<SweepCell>& cells = sweep.cells;
  const std::vector<const PlainColumn*> plain = plain_columns(sweep);
  std::vector<std::string> row = sweep.axes;
  for (const PlainColumn* column : plain) row.emplace_back(column->name);
  for (const char* name : {"status", "reason", "launches", "cycles", "seconds",
                           "thread_instructions", "warp_instructions", "ipc", "energy_picojoules"})
    row.emplace_back(name);
  row.insert(row.end(), sweep.figures.begin(), sweep.figures.end());
  row.insert(row.end(), {"parameters_hash", "result_file", "cell_key"});
  std::string text = csv_line(row);

  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellOutcome& outcome = outcomes[i];
    row = cells[i].labels;
    for (const PlainColumn* column : plain) row.push_back(column->value(cells[i]));
    row.insert(row.end(), {name_of(outcome.status), outcome.reason});
    for (std::string& field : figure_fields(outcome)) row.push_back(std::move(field));
    for (std::size_t figure = 0; figure < sweep.figures.size(); ++figure) {
      const bool known = figure < outcome.figures.size() && outcome.figures[figure].has_value();
      row.push_back(known ? csv_number(*outcome.figures[figure]) : "");
    }
    row.insert(row.end(), {cells[i].parameters_hash, outcome.result_file, outcome.key});
    text += csv_line(row);
  }
  return text;
}

}  // namespace raddle::experiment
