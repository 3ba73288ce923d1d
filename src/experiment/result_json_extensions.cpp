#include "experiment/result_json_extensions.h"

namespace raddle::experiment {

namespace {

using machine::LaunchResult;

// --- kernel launches ---------------------------------------------------------------------------

Json occupancy_json(const machine::Occupancy& occupancy) {
  if (occupancy.limited_by.empty()) return nullptr;
  return Json{{"warps", occupancy.warps},
              {"warps_limit", occupancy.warps_limit},
              {"blocks_per_core", occupancy.blocks_per_core},
              {"limited_by", occupancy.limited_by}};
}

Json split_json(const machine::L1Split& split) {
  if (split.preferred.empty()) return nullptr;
  return Json{{"l1_bytes", split.l1_bytes},
              {"shared_bytes", split.shared_bytes},
              {"preferred", split.preferred}};
}

Json kernel_launch_json(const machine::KernelLaunch& launch) {
  Json object;
  object["mangled"] = launch.mangled;
  object["grid"] = dim3_json(launch.grid);
  object["block"] = dim3_json(launch.block);
#define RADDLE_KERNEL(name, unit, sentence) object[#name] = launch.name;
#include "experiment/figures.def"
  object["occupancy"] = occupancy_json(launch.occupancy);
  object["l1_split"] = split_json(launch.l1_split);
  if (const auto& sharing = launch.sharing)
    object["sharing"] = Json{{"mode", sharing->mode}, {"reason", sharing->reason}};
  return object;
}

void read_occupancy(const Entry& entry, machine::Occupancy& occupancy) {
  if (entry.is_null()) return;
  entry.at("warps").read(occupancy.warps);
  entry.at("warps_limit").read(occupancy.warps_limit);
  entry.at("blocks_per_core").read(occupancy.blocks_per_core);
  entry.at("limited_by").read(occupancy.limited_by);
}

void read_split(const Entry& entry, machine::L1Split& split) {
  if (entry.is_null()) return;
  entry.at("l1_bytes").read(split.l1_bytes);
  entry.at("shared_bytes").read(split.shared_bytes);
  entry.at("preferred").read(split.preferred);
}

machine::KernelLaunch kernel_launch_in(const Entry& entry) {
  machine::KernelLaunch launch;
  entry.at("mangled").read(launch.mangled);
  entry.at("grid").read(launch.grid);
  entry.at("block").read(launch.block);
#define RADDLE_KERNEL(name, unit, sentence) entry.at(#name).read(launch.name);
#include "experiment/figures.def"
  read_occupancy(entry.at("occupancy"), launch.occupancy);
  read_split(entry.at("l1_split"), launch.l1_split);
  if (entry.has("sharing")) {
    launch.sharing.emplace();
    entry.at("sharing").at("mode").read(launch.sharing->mode);
    entry.at("sharing").at("reason").read(launch.sharing->reason);
  }
  return launch;
}

// --- kernels on a dataflow fabric --------------------------------------------------------------

Json fabric_json(const machine::FabricLaunch& launch) {
  Json pieces = Json::array();
  for (const machine::FabricPiece& piece : launch.pieces)
    pieces.push_back(
        Json{{"copies", piece.copies}, {"threads", piece.threads}, {"cycles", piece.cycles}});
  return Json{{"pieces", std::move(pieces)},
              {"bounds", shares_json(launch.bounds, "cycles")},
              {"bound_cycles", launch.bound_cycles}};
}

machine::FabricLaunch fabric_in(const Entry& entry) {
  machine::FabricLaunch launch;
  for (const Entry& item : entry.at("pieces").items()) {
    machine::FabricPiece& piece = launch.pieces.emplace_back();
    item.at("copies").read(piece.copies);
    item.at("threads").read(piece.threads);
    item.at("cycles").read(piece.cycles);
  }
  read_shares(entry.at("bounds"), "cycles", launch.bounds);
  entry.at("bound_cycles").read(launch.bound_cycles);
  return launch;
}

// --- techniques of thick control flow ----------------------------------------------------------

Json technique_json(const machine::TechniqueCost& cost) {
  Json object;
  object["technique"] = cost.technique;
  object["location"] = cost.location;
  object["formula"] = cost.formula;
#define RADDLE_TECHNIQUE(name, unit, sentence) object[#name] = cost.name;
#include "experiment/figures.def"
  return object;
}

machine::TechniqueCost technique_in(const Entry& entry) {
  machine::TechniqueCost cost;
  entry.at("technique").read(cost.technique);
  entry.at("location").read(cost.location);
  entry.at("formula").read(cost.formula);
#define RADDLE_TECHNIQUE(name, unit, sentence) entry.at(#name).read(cost.name);
#include "experiment/figures.def"
  return cost;
}

// --- fragment programs -------------------------------------------------------------------------

Json fragment_program_json(const machine::FragmentProgram& program) {
  return Json{{"batches", program.batches},
              {"batch", dim3_json(program.batch)},
              {"registers_per_thread", program.registers_per_thread},
              {"resident_batches", program.resident_batches},
              {"contexts", program.contexts},
              {"limited_by", program.limited_by}};
}

machine::FragmentProgram fragment_program_in(const Entry& entry) {
  machine::FragmentProgram program;
  entry.at("batches").read(program.batches);
  entry.at("batch").read(program.batch);
  entry.at("registers_per_thread").read(program.registers_per_thread);
  entry.at("resident_batches").read(program.resident_batches);
  entry.at("contexts").read(program.contexts);
  entry.at("limited_by").read(program.limited_by);
  return program;
}

// --- data-driven threads -----------------------------------------------------------------------

Json data_driven_json(const machine::DataDrivenRun& run) {
  Json nodes = Json::array();
  for (const std::vector<machine::Share>& node : run.node_cycles)
    nodes.push_back(shares_json(node, "cycles"));
  return Json{{"threads", run.threads}, {"node_cycles", std::move(nodes)}};
}

machine::DataDrivenRun data_driven_in(const Entry& entry) {
  machine::DataDrivenRun run;
  entry.at("threads").read(run.threads);
  for (const Entry& node : entry.at("node_cycles").items())
    read_shares(node, "cycles", run.node_cycles.emplace_back());
  return run;
}

}  // namespace

void put_extensions(Json& object, const LaunchResult& launch) {
  if (launch.kernel_launch) object["kernel_launch"] = kernel_launch_json(*launch.kernel_launch);
  if (launch.fabric) object["fabric"] = fabric_json(*launch.fabric);
  for (const machine::TechniqueCost& cost : launch.techniques)
    object["techniques"].push_back(technique_json(cost));
  if (launch.fragment_program)
    object["fragment_program"] = fragment_program_json(*launch.fragment_program);
  if (launch.data_driven) object["data_driven"] = data_driven_json(*launch.data_driven);
}

void read_extensions(const Entry& entry, LaunchResult& launch) {
  if (entry.has("kernel_launch"))
    launch.kernel_launch = kernel_launch_in(entry.at("kernel_launch"));
  if (entry.has("fabric")) launch.fabric = fabric_in(entry.at("fabric"));
  if (entry.has("techniques")) {
    for (const Entry& item : entry.at("techniques").items())
      launch.techniques.push_back(technique_in(item));
  }
  if (entry.has("fragment_program"))
    launch.fragment_program = fragment_program_in(entry.at("fragment_program"));
  if (entry.has("data_driven")) launch.data_driven = data_driven_in(entry.at("data_driven"));
}

Json dim3_json(const machine::Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

Json shares_json(const std::vector<machine::Share>& shares, const char* value_name) {
  if (shares.empty()) return nullptr;
  Json list = Json::array();
  for (const machine::Share& share : shares)
    list.push_back(Json{{"name", share.name}, {value_name, share.value}});
  return list;
}

}  // namespace raddle::experiment
