// A JSON document as a result; what is wrong with one is told by its place in the document.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "experiment/result_json.h"
#include "experiment/result_json_entry.h"
#include "experiment/result_json_extensions.h"

namespace raddle::experiment {

namespace {

using machine::Fault;
using machine::FaultKind;
using machine::LaunchResult;
using machine::MemoryTraffic;

// The items, with room for exactly what is read of them: results of many launches stay in memory.
template <typename T>
std::vector<Entry> items_for(std::vector<T>& read, const Entry& entry) {
  std::vector<Entry> items = entry.items();
  read.reserve(items.size());
  return items;
}

void read_memory(const Entry& entry, std::vector<MemoryTraffic>& memory) {
  for (const Entry& item : items_for(memory, entry)) {
    MemoryTraffic& traffic = memory.emplace_back();
    item.at("level").read(traffic.level);
#define RADDLE_TRAFFIC(name, unit, sentence) item.at(#name).read(traffic.name);
#include "experiment/figures.def"
  }
}

machine::CycleKind read_kind(const Entry& entry) {
  std::string name;
  entry.read(name);
  const std::optional<machine::CycleKind> kind = machine::cycle_kind_of(name);
  if (!kind) entry.fail(fmt::format("\"{}\" is not a kind of cycles", name));
  return *kind;
}

void read_stalls(const Entry& entry, std::vector<machine::Stall>& stalls) {
  for (const Entry& item : items_for(stalls, entry)) {
    machine::Stall& stall = stalls.emplace_back();
    item.at("name").read(stall.name);
    stall.kind = read_kind(item.at("kind"));
    item.at("cycles").read(stall.cycles);
    if (item.has("sentence")) item.at("sentence").read(stall.sentence);
  }
}

void read_utilisation(const Entry& entry, std::vector<machine::Utilisation>& units) {
  for (const Entry& item : items_for(units, entry)) {
    machine::Utilisation& unit = units.emplace_back();
    item.at("name").read(unit.name);
    item.at("busy").read(unit.busy);
    item.at("capacity").read(unit.capacity);
  }
}

void read_stats(const Entry& entry, std::vector<sim::StatValue>& stats) {
  for (const Entry& item : items_for(stats, entry)) {
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
  entry.fail(fmt::format("unknown fault \"{}\"", name));
}

void read_fault(const Entry& entry, Fault& fault) {
  fault.kind = fault_kind(entry.at("kind"));
  entry.at("message").read(fault.message);
  entry.at("location").read(fault.location);
  if (entry.has("column")) entry.at("column").read(fault.column);
  if (entry.has("source")) entry.at("source").read(fault.source);
  entry.at("kernel").read(fault.kernel);
  entry.at("block").read(fault.block);
  entry.at("thread").read(fault.thread);
  entry.at("ends_launch").read(fault.ends_launch);
  if (entry.has("count")) entry.at("count").read(fault.count);
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
  if (!entry.at("stalls").is_null()) read_stalls(entry.at("stalls"), figures.stalls);
  read_shares(entry.at("energy"), "picojoules", figures.energy);
  if (!entry.at("energy_set").is_null()) entry.at("energy_set").read(figures.energy_set);
  read_utilisation(entry.at("utilisation"), figures.utilisation);
  read_stats(entry.at("stats"), figures.stats);
  read_histograms(entry.at("histograms"), figures.histograms);
}

void read_lines(const Entry& entry, std::vector<machine::LineCost>& lines) {
  for (const Entry& item : entry.items()) {
    machine::LineCost& line = lines.emplace_back();
    item.at("location").read(line.location);
    item.at("warp_instructions").read(line.warp_instructions);
    item.at("thread_instructions").read(line.thread_instructions);
    item.at("stall_cycles").read(line.stall_cycles);
    if (item.has("stalls")) read_stalls(item.at("stalls"), line.stalls);
  }
}

void read_samples(const Entry& entry, std::vector<machine::SampleSeries>& samples) {
  for (const Entry& item : entry.items()) {
    machine::SampleSeries& series = samples.emplace_back();
    item.at("name").read(series.name);
    item.at("unit").read(series.unit);
    item.at("sentence").read(series.sentence);
    item.at("values").read(series.values);
    if (item.has("kind")) series.kind = read_kind(item.at("kind"));
  }
}

void read_launch(const Entry& entry, LaunchResult& launch) {
  entry.at("kernel").read(launch.kernel);
  entry.at("complete").read(launch.complete);
#define RADDLE_LAUNCH(name, unit, sentence) entry.at(#name).read(launch.name);
#include "experiment/figures.def"
  read_figures(entry, launch);
  for (const Entry& fault : entry.at("faults").items())
    read_fault(fault, launch.faults.emplace_back());
  read_extensions(entry, launch);
  if (entry.has("lines")) read_lines(entry.at("lines"), launch.lines);
  if (!entry.has("samples")) return;
  entry.at("sample_cycles").read(launch.sample_cycles);
  read_samples(entry.at("samples"), launch.samples);
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

// Takes launches out of the document while it is parsed, one by one: what a program that launches
// often did is not in memory twice.
class LaunchTaker {
 public:
  LaunchTaker(const std::string& file, std::vector<LaunchResult>& launches)
      : file_(&file), launches_(&launches) {}

  // As nlohmann::json calls it; false: the value is not kept in the document.
  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key) entry_ = value.get<std::string>();
    if (depth == 1 && event == Json::parse_event_t::value && entry_ == "schema")
      is_result_ = value == kResultSchema;
    if (depth != 2 || event != Json::parse_event_t::object_end) return true;
    if (!is_result_ || entry_ != "launches") return true;
    const std::string path = fmt::format("launches[{}]", launches_->size());
    read_launch(Entry(value, path, *file_), launches_->emplace_back());
    return false;
  }

 private:
  const std::string* file_;
  std::vector<LaunchResult>* launches_;
  std::string entry_;
  bool is_result_ = false;
};

template <class Input>
RunResult read_document(Input&& input, const std::string& file_name) {
  RunResult result;
  const Json document =
      Json::parse(std::forward<Input>(input), LaunchTaker(file_name, result.launches), false);
  const Entry entry(document, "", file_name);
  if (document.is_discarded()) entry.fail("the file is not JSON");
  std::string schema;
  entry.at("schema").read(schema);
  if (schema != kResultSchema)
    entry.fail(fmt::format("its schema is \"{}\", not \"{}\"", schema, kResultSchema));

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
  if (entry.has("faults")) {
    for (const Entry& fault : entry.at("faults").items())
      read_fault(fault, result.faults.emplace_back());
  }
  for (const Entry& launch : entry.at("launches").items())
    read_launch(launch, result.launches.emplace_back());
  entry.at("host").at("wall_seconds").read(result.host.wall_seconds);
  entry.at("host").at("peak_memory_bytes").read(result.host.peak_memory_bytes);
  return result;
}

}  // namespace

RunResult from_json(std::string_view text, const std::string& file_name) {
  return read_document(text, file_name);
}

RunResult read_result_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  // It says what is wrong with it.
  if (!file || !file.is_open() || std::filesystem::is_directory(path))
    return from_json(read_file(path), path);
  return read_document(file, path);
}

}  // namespace raddle::experiment
