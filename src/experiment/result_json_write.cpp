// A result as a JSON document.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "base/atomic_file.h"
#include "experiment/result_json.h"
#include "experiment/result_json_extensions.h"

namespace raddle::experiment {

namespace {

using machine::Fault;
using machine::LaunchResult;
using machine::MemoryTraffic;

constexpr auto kAllClasses = static_cast<std::size_t>(kernel::kInstructionClasses);

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

Json stalls_json(const std::vector<machine::Stall>& stalls) {
  if (stalls.empty()) return nullptr;
  Json list = Json::array();
  for (const machine::Stall& stall : stalls) {
    Json object{{"name", stall.name}, {"kind", name_of(stall.kind)}, {"cycles", stall.cycles}};
    if (!stall.sentence.empty()) object["sentence"] = stall.sentence;
    list.push_back(std::move(object));
  }
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
    if (fault.column != 0) object["column"] = fault.column;
    if (!fault.source.empty()) object["source"] = fault.source;
    object["kernel"] = fault.kernel;
    object["block"] = dim3_json(fault.block);
    object["thread"] = dim3_json(fault.thread);
    object["ends_launch"] = fault.ends_launch;
    object["count"] = fault.count;
    object["details"] = fault.details;
    list.push_back(std::move(object));
  }
  return list;
}

Json lines_json(const LaunchResult& launch) {
  Json list = Json::array();
  for (const machine::LineCost& line : launch.lines) {
    Json object{{"location", line.location},
                {"warp_instructions", line.warp_instructions},
                {"thread_instructions", line.thread_instructions},
                {"stall_cycles", line.stall_cycles}};
    if (!line.stalls.empty()) object["stalls"] = stalls_json(line.stalls);
    list.push_back(std::move(object));
  }
  return list;
}

Json samples_json(const std::vector<machine::SampleSeries>& samples) {
  Json list = Json::array();
  for (const machine::SampleSeries& series : samples) {
    Json object{{"name", series.name},
                {"unit", series.unit},
                {"sentence", series.sentence},
                {"values", series.values}};
    if (series.kind) object["kind"] = name_of(*series.kind);
    list.push_back(std::move(object));
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
  object["stalls"] = stalls_json(figures.stalls);
  object["energy"] = shares_json(figures.energy, "picojoules");
  object["energy_set"] = figures.energy_set.empty() ? Json(nullptr) : Json(figures.energy_set);
  object["utilisation"] = utilisation_json(figures.utilisation);
  object["stats"] = stats_json(figures.stats);
  object["histograms"] = histograms_json(figures.histograms);
}

Json launch_json(const LaunchResult& launch) {
  Json object;
  object["kernel"] = launch.kernel;
  object["complete"] = launch.complete;
#define RADDLE_LAUNCH(name, unit, sentence) object[#name] = launch.name;
#include "experiment/figures.def"
  put_figures(object, launch);
  object["faults"] = faults_json(launch.faults);
  if (!launch.lines.empty()) object["lines"] = lines_json(launch);
  if (launch.sample_cycles != 0) {
    object["sample_cycles"] = launch.sample_cycles;
    object["samples"] = samples_json(launch.samples);
  }
  put_extensions(object, launch);
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
#define RADDLE_KERNEL(name, unit, sentence) units[#name] = unit;
#define RADDLE_TECHNIQUE(name, unit, sentence) units[#name] = unit;
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
  units["sample_cycles"] = "cycles";
  units["warps"] = "warps";
  units["warps_limit"] = "warps";
  units["blocks_per_core"] = "blocks";
  units["l1_bytes"] = "bytes";
  units["shared_bytes"] = "bytes";
  units["batches"] = "batches";
  units["batch"] = "threads";
  units["resident_batches"] = "batches";
  units["contexts"] = "batches";
  units["threads"] = "threads";
  units["node_cycles"] = "cycles";
  units["picojoules"] = "picojoules";
  units["clock_hz"] = "hertz";
  units["thread_instructions_per_cycle"] = "thread instructions per cycle";
  units["memory_bytes_per_second"] = "bytes per second";
  units["share"] = "ratio";
  units["wall_seconds"] = "seconds";
  units["peak_memory_bytes"] = "bytes";
  return units;
}

// All but the launches.
Json result_frame(const RunResult& result) {
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
  if (!result.faults.empty()) document["faults"] = faults_json(result.faults);
  document["launches"] = Json::array();
  document["units"] = units_json();
  document["host"] = Json{{"wall_seconds", result.host.wall_seconds},
                          {"peak_memory_bytes", result.host.peak_memory_bytes}};
  return document;
}

Json result_document(const RunResult& result) {
  Json document = result_frame(result);
  for (const LaunchResult& launch : result.launches)
    document["launches"].push_back(launch_json(launch));
  return document;
}

// Program arguments and device strings may hold any bytes; the document must still be UTF-8.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

// As an element of a list of the document, below its first level. Strings have no line ends.
std::string indented(const std::string& text) {
  constexpr std::string_view kIndent = "    ";
  std::string out(kIndent);
  for (const char c : text) {
    out += c;
    if (c == '\n') out += kIndent;
  }
  return out;
}

}  // namespace

void put_json(const RunResult& result, const TextSink& put) {
  const std::string frame = text_of(result_frame(result));
  // Within a string its quotes would be escaped.
  constexpr std::string_view kNoLaunches = "\"launches\": []";
  const std::size_t place = frame.find(kNoLaunches) + kNoLaunches.size() - 1;
  put(std::string_view(frame).substr(0, place));
  for (std::size_t i = 0; i < result.launches.size(); ++i) {
    put(i == 0 ? "\n" : ",\n");
    put(indented(text_of(launch_json(result.launches[i]))));
  }
  if (!result.launches.empty()) put("\n  ");
  put(std::string_view(frame).substr(place));
  put("\n");
}

std::string to_json(const RunResult& result) {
  std::string text;
  put_json(result, [&](std::string_view part) { text += part; });
  return text;
}

std::string to_comparison_json(const std::vector<std::vector<RunResult>>& by_program) {
  Json document;
  document["schema"] = std::string(kComparisonSchema);
  document["programs"] = Json::array();
  for (const std::vector<RunResult>& results : by_program) {
    Json list = Json::array();
    for (const RunResult& result : results) list.push_back(result_document(result));
    document["programs"].push_back(std::move(list));
  }
  return text_of(document) + "\n";
}

void write_result_file(const RunResult& result, const std::string& path) {
  write_file_atomically(path, [&](const TextSink& put) { put_json(result, put); });
}

}  // namespace raddle::experiment
