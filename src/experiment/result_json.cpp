#include "experiment/result_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "base/atomic_file.h"
#include "base/error.h"

namespace raddle::experiment {

namespace {

using Json = nlohmann::ordered_json;
using machine::Dim3;
using machine::Fault;
using machine::FaultKind;
using machine::LaunchResult;
using machine::MemoryTraffic;
using machine::Share;

constexpr auto kAllClasses = static_cast<std::size_t>(kernel::kInstructionClasses);

// --- writing -----------------------------------------------------------------------------------------------------------

Json dim3_json(const Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

Json classes_json(const std::array<std::uint64_t, kAllClasses>& counts) {
  Json object = Json::object();
  for (std::size_t i = 0; i < kAllClasses; ++i) {
    if (counts[i] == 0) continue;
    object[std::string(name_of(static_cast<kernel::InstructionClass>(i)))] = counts[i];
  }
  return object;
}

Json memory_json(const std::vector<MemoryTraffic>& memory) {
  Json list = Json::array();
  for (const MemoryTraffic& traffic : memory) {
    Json object;
    object["level"] = traffic.level;
#define RADDLE_TRAFFIC(name, unit, sentence) object[#name] = traffic.name;
#include "experiment/figures.def"
    list.push_back(std::move(object));
  }
  return list;
}

// Null where the machine does not model it: nothing must look like "zero joules".
Json shares_json(const std::vector<Share>& shares, const char* value_name) {
  if (shares.empty()) return nullptr;
  Json list = Json::array();
  for (const Share& share : shares)
    list.push_back(Json{{"name", share.name}, {value_name, share.value}});
  return list;
}

Json utilisation_json(const std::vector<machine::Utilisation>& units) {
  Json list = Json::array();
  for (const machine::Utilisation& unit : units) {
    list.push_back(Json{{"name", unit.name},
                        {"busy", unit.busy},
                        {"capacity", unit.capacity},
                        {"share", unit.share()}});
  }
  return list;
}

Json stats_json(const std::vector<sim::StatValue>& stats) {
  Json list = Json::array();
  for (const sim::StatValue& stat : stats) {
    list.push_back(Json{{"component", stat.component},
                        {"name", stat.name},
                        {"value", stat.value},
                        {"unit", stat.unit},
                        {"sentence", stat.sentence}});
  }
  return list;
}

Json histograms_json(const std::vector<machine::Histogram>& histograms) {
  Json list = Json::array();
  for (const machine::Histogram& histogram : histograms) {
    Json bins = Json::array();
    for (const machine::HistogramBin& bin : histogram.bins)
      bins.push_back(Json::array({bin.value, bin.count}));
    list.push_back(Json{{"name", histogram.name},
                        {"unit", histogram.unit},
                        {"sentence", histogram.sentence},
                        {"bins", std::move(bins)}});
  }
  return list;
}

// Null where the machine does not model it.
Json peak_json(double value) { return value == 0 ? Json(nullptr) : Json(value); }

Json faults_json(const std::vector<Fault>& faults) {
  Json list = Json::array();
  for (const Fault& fault : faults) {
    Json object;
    object["kind"] = std::string(name_of(fault.kind));
    object["message"] = fault.message;
    object["location"] = fault.location;
    object["kernel"] = fault.kernel;
    object["block"] = dim3_json(fault.block);
    object["thread"] = dim3_json(fault.thread);
    object["ends_launch"] = fault.ends_launch;
    object["details"] = fault.details;
    list.push_back(std::move(object));
  }
  return list;
}

Json lines_json(const LaunchResult& launch) {
  Json list = Json::array();
  for (const machine::LineCost& line : launch.lines) {
    list.push_back(Json{{"location", line.location},
                        {"warp_instructions", line.warp_instructions},
                        {"thread_instructions", line.thread_instructions},
                        {"stall_cycles", line.stall_cycles}});
  }
  return list;
}

// What a launch and the totals have in common.
template <typename Figures>
void put_figures(Json& object, const Figures& figures) {
#define RADDLE_COUNT(name, unit, sentence) object[#name] = figures.name;
#include "experiment/figures.def"
  object["simulated_seconds"] = figures.seconds;
  object["ipc"] = figures.ipc();
  object["thread_instructions_by_class"] = classes_json(figures.thread_instructions_by_class);
  object["warp_instructions_by_class"] = classes_json(figures.warp_instructions_by_class);
  object["memory"] = memory_json(figures.memory);
  object["stalls"] = shares_json(figures.stalls, "stall_cycles");
  object["energy"] = shares_json(figures.energy, "picojoules");
  object["energy_set"] = figures.energy_set.empty() ? Json(nullptr) : Json(figures.energy_set);
  object["utilisation"] = utilisation_json(figures.utilisation);
  object["stats"] = stats_json(figures.stats);
  object["histograms"] = histograms_json(figures.histograms);
}

Json launch_json(const LaunchResult& launch) {
  Json object;
  object["kernel"] = launch.kernel;
  object["mangled"] = launch.mangled;
  object["grid"] = dim3_json(launch.grid);
  object["block"] = dim3_json(launch.block);
  object["complete"] = launch.complete;
#define RADDLE_LAUNCH(name, unit, sentence) object[#name] = launch.name;
#include "experiment/figures.def"
  put_figures(object, launch);
  object["faults"] = faults_json(launch.faults);
  if (!launch.lines.empty()) object["lines"] = lines_json(launch);
  return object;
}

Json parameters_json(const std::vector<machine::Parameter>& parameters) {
  Json list = Json::array();
  for (const machine::Parameter& parameter : parameters) {
    Json object;
    object["key"] = parameter.key;
    std::visit([&](const auto& value) { object["value"] = value; }, parameter.value);
    object["unit"] = parameter.unit;
    object["source"] = parameter.source;
    object["overridden"] = parameter.overridden;
    list.push_back(std::move(object));
  }
  return list;
}

Json peaks_json(const machine::Peaks& peaks) {
  return Json{{"clock_hz", peak_json(peaks.clock_hz)},
              {"thread_instructions_per_cycle", peak_json(peaks.thread_instructions_per_cycle)},
              {"memory_bytes_per_second", peak_json(peaks.memory_bytes_per_second)}};
}

Json units_json() {
  Json units;
#define RADDLE_COUNT(name, unit, sentence) units[#name] = unit;
#define RADDLE_LAUNCH(name, unit, sentence) units[#name] = unit;
#define RADDLE_TRAFFIC(name, unit, sentence) units[#name] = unit;
#define RADDLE_COPY(name, unit, sentence) units[#name] = unit;
#include "experiment/figures.def"
  units["launch_count"] = "launches";
  units["simulated_seconds"] = "seconds";
  units["ipc"] = "thread instructions per cycle";
  units["grid"] = "blocks";
  units["block"] = "threads";
  units["thread_instructions_by_class"] = "instructions";
  units["warp_instructions_by_class"] = "instructions";
  units["stall_cycles"] = "cycles";
  units["picojoules"] = "picojoules";
  units["clock_hz"] = "hertz";
  units["thread_instructions_per_cycle"] = "thread instructions per cycle";
  units["memory_bytes_per_second"] = "bytes per second";
  units["share"] = "ratio";
  units["wall_seconds"] = "seconds";
  units["peak_memory_bytes"] = "bytes";
  return units;
}

Json result_document(const RunResult& result) {
  Json document;
  document["schema"] = std::string(kResultSchema);
  document["raddle_version"] = result.raddle_version;
  document["program"] = Json{{"name", result.program}, {"arguments", result.arguments}};
  document["machine"] = Json{{"name", result.machine},
                             {"implementation", result.implementation},
                             {"parameters_hash", result.parameters_hash},
                             {"peaks", peaks_json(result.peaks)},
                             {"parameters", parameters_json(result.parameters)}};
  document["status"] = Json{{"partial", result.partial},
                            {"partial_reason", result.partial_reason},
                            {"exit_status", result.exit_status}};
  Json totals;
  totals["launch_count"] = result.totals.launches;
  put_figures(totals, result.totals);
  document["totals"] = std::move(totals);
  Json copies;
#define RADDLE_COPY(name, unit, sentence) copies[#name] = result.copies.name;
#include "experiment/figures.def"
  document["copies"] = std::move(copies);
  document["launches"] = Json::array();
  for (const LaunchResult& launch : result.launches)
    document["launches"].push_back(launch_json(launch));
  document["units"] = units_json();
  document["host"] = Json{{"wall_seconds", result.host.wall_seconds},
                          {"peak_memory_bytes", result.host.peak_memory_bytes}};
  return document;
}

// Program arguments and device strings may hold any bytes; the document must still be UTF-8.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// --- reading -----------------------------------------------------------------------------------------------------------

// A JSON value together with the way to it, for messages.
class Entry {
 public:
  Entry(const Json& value, std::string path, const std::string& file)
      : value_(&value), path_(std::move(path)), file_(&file) {}

  Entry at(const char* key) const {
    if (!value_->is_object() || !value_->contains(key))
      fail(fmt::format("no entry \"{}\"", path_of(key)));
    return {(*value_)[key], path_of(key), *file_};
  }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  bool is_null() const { return value_->is_null(); }

  std::vector<Entry> items() const {
    if (!value_->is_array()) fail(fmt::format("\"{}\" is no list", path_));
    std::vector<Entry> list;
    for (std::size_t i = 0; i < value_->size(); ++i)
      list.emplace_back((*value_)[i], fmt::format("{}[{}]", path_, i), *file_);
    return list;
  }

  void read(std::string& out) const {
    if (!value_->is_string()) fail(fmt::format("\"{}\" is no text", path_));
    out = value_->get<std::string>();
  }
  void read(bool& out) const {
    if (!value_->is_boolean()) fail(fmt::format("\"{}\" is neither true nor false", path_));
    out = value_->get<bool>();
  }
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  void read(Number& out) const {
    const bool fits = std::is_floating_point_v<Number> ? value_->is_number()
                      : std::is_unsigned_v<Number>     ? value_->is_number_unsigned()
                                                       : value_->is_number_integer();
    if (!fits)
      fail(fmt::format("\"{}\" is no {}number", path_,
                       std::is_floating_point_v<Number> ? "" : "whole "));
    out = value_->get<Number>();
  }
  void read(std::vector<std::string>& out) const {
    for (const Entry& item : items()) item.read(out.emplace_back());
  }
  void read(Dim3& out) const {
    const std::vector<Entry> parts = items();
    if (parts.size() != 3) fail(fmt::format("\"{}\" has not three parts", path_));
    parts[0].read(out.x);
    parts[1].read(out.y);
    parts[2].read(out.z);
  }
  void read(machine::ParameterValue& out) const {
    if (value_->is_boolean()) {
      out = value_->get<bool>();
    } else if (value_->is_number_integer()) {
      out = value_->get<std::int64_t>();
    } else if (value_->is_number()) {
      out = value_->get<double>();
    } else {
      out = std::string();
      read(std::get<std::string>(out));
    }
  }
  void read(std::array<std::uint64_t, kAllClasses>& out) const {
    if (!value_->is_object()) fail(fmt::format("\"{}\" is no object", path_));
    for (std::size_t i = 0; i < kAllClasses; ++i) {
      const std::string name(name_of(static_cast<kernel::InstructionClass>(i)));
      if (has(name.c_str())) at(name.c_str()).read(out[i]);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("not a Raddle result: " + what, *file_,
                "results are the files that `raddle run --json FILE` writes");
  }

 private:
  std::string path_of(const char* key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  const Json* value_;
  std::string path_;
  const std::string* file_;
};

void read_memory(const Entry& entry, std::vector<MemoryTraffic>& memory) {
  for (const Entry& item : entry.items()) {
    MemoryTraffic& traffic = memory.emplace_back();
    item.at("level").read(traffic.level);
#define RADDLE_TRAFFIC(name, unit, sentence) item.at(#name).read(traffic.name);
#include "experiment/figures.def"
  }
}

void read_shares(const Entry& entry, const char* value_name, std::vector<Share>& shares) {
  if (entry.is_null()) return;
  for (const Entry& item : entry.items()) {
    Share& share = shares.emplace_back();
    item.at("name").read(share.name);
    item.at(value_name).read(share.value);
  }
}

void read_utilisation(const Entry& entry, std::vector<machine::Utilisation>& units) {
  for (const Entry& item : entry.items()) {
    machine::Utilisation& unit = units.emplace_back();
    item.at("name").read(unit.name);
    item.at("busy").read(unit.busy);
    item.at("capacity").read(unit.capacity);
  }
}

void read_stats(const Entry& entry, std::vector<sim::StatValue>& stats) {
  for (const Entry& item : entry.items()) {
    sim::StatValue& stat = stats.emplace_back();
    item.at("component").read(stat.component);
    item.at("name").read(stat.name);
    item.at("value").read(stat.value);
    item.at("unit").read(stat.unit);
    item.at("sentence").read(stat.sentence);
  }
}

void read_histograms(const Entry& entry, std::vector<machine::Histogram>& histograms) {
  for (const Entry& item : entry.items()) {
    machine::Histogram& histogram = histograms.emplace_back();
    item.at("name").read(histogram.name);
    item.at("unit").read(histogram.unit);
    item.at("sentence").read(histogram.sentence);
    for (const Entry& pair : item.at("bins").items()) {
      const std::vector<Entry> parts = pair.items();
      if (parts.size() != 2) pair.fail("a bin of a histogram is a value and a count");
      machine::HistogramBin& bin = histogram.bins.emplace_back();
      parts[0].read(bin.value);
      parts[1].read(bin.count);
    }
  }
}

void read_peak(const Entry& entry, double& peak) {
  if (!entry.is_null()) entry.read(peak);
}

FaultKind fault_kind(const Entry& entry) {
  std::string name;
  entry.read(name);
  for (int i = 0; i <= static_cast<int>(FaultKind::kUnsupported); ++i) {
    if (name_of(static_cast<FaultKind>(i)) == name) return static_cast<FaultKind>(i);
  }
  entry.fail(fmt::format("there is no fault named \"{}\"", name));
}

void read_fault(const Entry& entry, Fault& fault) {
  fault.kind = fault_kind(entry.at("kind"));
  entry.at("message").read(fault.message);
  entry.at("location").read(fault.location);
  entry.at("kernel").read(fault.kernel);
  entry.at("block").read(fault.block);
  entry.at("thread").read(fault.thread);
  entry.at("ends_launch").read(fault.ends_launch);
  entry.at("details").read(fault.details);
}

template <typename Figures>
void read_figures(const Entry& entry, Figures& figures) {
#define RADDLE_COUNT(name, unit, sentence) entry.at(#name).read(figures.name);
#include "experiment/figures.def"
  entry.at("simulated_seconds").read(figures.seconds);
  entry.at("thread_instructions_by_class").read(figures.thread_instructions_by_class);
  entry.at("warp_instructions_by_class").read(figures.warp_instructions_by_class);
  read_memory(entry.at("memory"), figures.memory);
  read_shares(entry.at("stalls"), "stall_cycles", figures.stalls);
  read_shares(entry.at("energy"), "picojoules", figures.energy);
  if (!entry.at("energy_set").is_null()) entry.at("energy_set").read(figures.energy_set);
  read_utilisation(entry.at("utilisation"), figures.utilisation);
  read_stats(entry.at("stats"), figures.stats);
  read_histograms(entry.at("histograms"), figures.histograms);
}

void read_launch(const Entry& entry, LaunchResult& launch) {
  entry.at("kernel").read(launch.kernel);
  entry.at("mangled").read(launch.mangled);
  entry.at("grid").read(launch.grid);
  entry.at("block").read(launch.block);
  entry.at("complete").read(launch.complete);
#define RADDLE_LAUNCH(name, unit, sentence) entry.at(#name).read(launch.name);
#include "experiment/figures.def"
  read_figures(entry, launch);
  for (const Entry& fault : entry.at("faults").items())
    read_fault(fault, launch.faults.emplace_back());
  if (!entry.has("lines")) return;
  for (const Entry& item : entry.at("lines").items()) {
    machine::LineCost& line = launch.lines.emplace_back();
    item.at("location").read(line.location);
    item.at("warp_instructions").read(line.warp_instructions);
    item.at("thread_instructions").read(line.thread_instructions);
    item.at("stall_cycles").read(line.stall_cycles);
  }
}

void read_machine(const Entry& entry, RunResult& result) {
  entry.at("name").read(result.machine);
  entry.at("implementation").read(result.implementation);
  entry.at("parameters_hash").read(result.parameters_hash);
  const Entry peaks = entry.at("peaks");
  read_peak(peaks.at("clock_hz"), result.peaks.clock_hz);
  read_peak(peaks.at("thread_instructions_per_cycle"), result.peaks.thread_instructions_per_cycle);
  read_peak(peaks.at("memory_bytes_per_second"), result.peaks.memory_bytes_per_second);
  for (const Entry& item : entry.at("parameters").items()) {
    machine::Parameter& parameter = result.parameters.emplace_back();
    item.at("key").read(parameter.key);
    item.at("value").read(parameter.value);
    item.at("unit").read(parameter.unit);
    item.at("source").read(parameter.source);
    item.at("overridden").read(parameter.overridden);
  }
}

}  // namespace

std::string to_json(const RunResult& result) { return text_of(result_document(result)); }

std::string to_comparison_json(const std::vector<std::vector<RunResult>>& by_program) {
  Json document;
  document["schema"] = std::string(kComparisonSchema);
  document["programs"] = Json::array();
  for (const std::vector<RunResult>& results : by_program) {
    Json list = Json::array();
    for (const RunResult& result : results) list.push_back(result_document(result));
    document["programs"].push_back(std::move(list));
  }
  return text_of(document);
}

RunResult from_json(std::string_view text, const std::string& file_name) {
  const Json document = Json::parse(text, nullptr, false);
  const Entry entry(document, "", file_name);
  if (document.is_discarded()) entry.fail("the file holds no JSON");
  std::string schema;
  entry.at("schema").read(schema);
  if (schema != kResultSchema)
    entry.fail(fmt::format("its schema is \"{}\", not \"{}\"", schema, kResultSchema));

  RunResult result;
  entry.at("raddle_version").read(result.raddle_version);
  entry.at("program").at("name").read(result.program);
  entry.at("program").at("arguments").read(result.arguments);
  read_machine(entry.at("machine"), result);
  entry.at("status").at("partial").read(result.partial);
  entry.at("status").at("partial_reason").read(result.partial_reason);
  entry.at("status").at("exit_status").read(result.exit_status);
  entry.at("totals").at("launch_count").read(result.totals.launches);
  read_figures(entry.at("totals"), result.totals);
#define RADDLE_COPY(name, unit, sentence) entry.at("copies").at(#name).read(result.copies.name);
#include "experiment/figures.def"
  for (const Entry& launch : entry.at("launches").items())
    read_launch(launch, result.launches.emplace_back());
  entry.at("host").at("wall_seconds").read(result.host.wall_seconds);
  entry.at("host").at("peak_memory_bytes").read(result.host.peak_memory_bytes);
  return result;
}

RunResult read_result_file(const std::string& path) { return from_json(read_file(path), path); }

void write_result_file(const RunResult& result, const std::string& path) {
  write_file_atomically(path, to_json(result));
}

}  // namespace raddle::experiment
