#include "cli/ptx_runner.h"

#include <fmt/format.h>

#include <cstring>

#include "base/atomic_file.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "cli/ptx_arguments.h"
#include "cli/simulated_run.h"
#include "lang/ptx/reader.h"
#include "machine/machine.h"

namespace raddle::cli {

namespace {

using kernel::Function;
using kernel::Module;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Whether the name is the kernel's: as the file has it, as the source has it with its parameters,
// its template arguments, or alone.
bool is_named(const Function& function, const std::string& wanted) {
  const std::string full = demangled(function.name);
  const std::string name = function_name(full);
  return wanted == function.name || wanted == full || wanted == name ||
         wanted == name.substr(0, name.find('<'));
}

std::uint32_t find_kernel(const Module& module, const std::string& wanted,
                          const std::string& path) {
  std::vector<std::string> names;
  std::vector<std::string> full_names;  // of those that are meant
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    if (!function.is_entry) continue;
    if (function.name == wanted) return i;
    names.push_back(function_name(demangled(function.name)));
    if (!wanted.empty() && !is_named(function, wanted)) continue;
    full_names.push_back(demangled(function.name));
    places.push_back(i);
  }
  if (names.empty()) throw Error("the file holds no kernel", path);
  if (places.size() == 1) return places[0];
  if (wanted.empty())
    throw Error(fmt::format("the file holds {} kernels", names.size()), path,
                "choose one with --kernel: " + joined(names));
  if (!places.empty())
    throw Error(fmt::format("there are {} kernels '{}'", places.size(), wanted), path,
                "choose one with its parameters: " + joined(full_names));
  std::string hint = suggestion(wanted, names);
  throw Error(fmt::format("there is no kernel '{}'", wanted), path,
              hint.empty() ? "its kernels: " + joined(names) : hint);
}

std::string describe_parameters(const Function& function) {
  std::string text;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const kernel::Slot& slot = function.parameters[i];
    text += fmt::format("{}{} ({} bytes)", i == 0 ? "" : ", ", slot.name, slot.size);
  }
  return text.empty() ? "none" : text;
}

// Device memory of the buffers, in the order of the arguments; 0 for what is no buffer.
struct PreparedArguments {
  std::vector<KernelArgument> arguments;
  std::vector<std::uint64_t> addresses;
  std::vector<std::byte> frame;
};

PreparedArguments prepare_arguments(const Function& function, const std::vector<std::string>& texts,
                                    kernel::DeviceMemory& memory, const std::string& path) {
  if (texts.size() != function.parameters.size()) {
    throw Error(fmt::format("kernel '{}' takes {} arguments, {} were given", function.name,
                            function.parameters.size(), texts.size()),
                path,
                fmt::format("give each with --arg, for example --arg buffer:f32:1024:iota --arg "
                            "i32:1024; its parameters: {}",
                            describe_parameters(function)));
  }
  PreparedArguments prepared;
  prepared.frame.resize(function.incoming_bytes());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    KernelArgument argument = parse_kernel_argument(texts[i], memory.capacity());
    const kernel::Slot& slot = function.parameters[i];
    std::uint64_t address = 0;
    std::vector<std::byte> value = argument.content;
    if (argument.is_buffer) {
      const std::optional<std::uint64_t> place = memory.allocate(argument.content.size());
      if (!place) throw does_not_fit(texts[i], memory.capacity());
      address = *place;
      std::memcpy(memory.view(address), argument.content.data(), argument.content.size());
      value.assign(reinterpret_cast<const std::byte*>(&address),
                   reinterpret_cast<const std::byte*>(&address) + sizeof address);
    }
    if (value.size() != slot.size) {
      throw Error(fmt::format("argument '{}' has {} bytes, but parameter {} takes {}", texts[i],
                              value.size(), slot.name, slot.size),
                  path);
    }
    std::memcpy(prepared.frame.data() + slot.offset, value.data(), value.size());
    prepared.arguments.push_back(std::move(argument));
    prepared.addresses.push_back(address);
  }
  return prepared;
}

// The buffers came from the host, as copies do.
void tell_machine(const PreparedArguments& prepared, machine::Machine& machine) {
  for (std::size_t i = 0; i < prepared.arguments.size(); ++i) {
    if (prepared.arguments[i].is_buffer)
      machine.host_wrote(prepared.addresses[i], prepared.arguments[i].content.size());
  }
}

const KernelArgument& buffer_at(const PreparedArguments& prepared, std::size_t index,
                                const char* option) {
  if (index < prepared.arguments.size() && prepared.arguments[index].is_buffer)
    return prepared.arguments[index];
  throw Error(fmt::format("{} {}: that argument is no buffer", option, index), {},
              "the first --arg is number 0");
}

std::vector<std::byte> content_of(const kernel::DeviceMemory& memory,
                                  const PreparedArguments& prepared, std::size_t index) {
  const std::byte* begin = memory.view(prepared.addresses[index]);
  return {begin, begin + prepared.arguments[index].content.size()};
}

// Checks --show and --dump before the kernel runs, so that a slip does not cost the run.
void check_outputs(const PtxLaunch& launch, const PreparedArguments& prepared) {
  for (const std::string& text : launch.shown)
    buffer_at(prepared, parse_indexed("--show", text).index, "--show");
  for (const std::string& text : launch.dumped) {
    const IndexedOption option = parse_indexed("--dump", text);
    buffer_at(prepared, option.index, "--dump");
    if (option.rest.empty())
      throw Error(fmt::format("--dump '{}' names no file", text), {}, "write it as --dump 0:FILE");
  }
}

std::string show_outputs(const PtxLaunch& launch, const PreparedArguments& prepared,
                         const kernel::DeviceMemory& memory) {
  std::string text;
  for (const std::string& shown : launch.shown) {
    const IndexedOption option = parse_indexed("--show", shown);
    const std::size_t count = option.rest.empty() ? 16 : parse_indexed("--show", option.rest).index;
    const KernelArgument& argument = prepared.arguments[option.index];
    text += fmt::format("argument {} ({}):\n", option.index, argument.text);
    text += format_elements(argument.type, content_of(memory, prepared, option.index), count);
  }
  for (const std::string& dumped : launch.dumped) {
    const IndexedOption option = parse_indexed("--dump", dumped);
    const std::vector<std::byte> content = content_of(memory, prepared, option.index);
    write_file_atomically(option.rest,
                          {reinterpret_cast<const char*>(content.data()), content.size()});
  }
  return text;
}

void check_shape(const machine::Dim3& grid, const machine::Dim3& block,
                 const machine::DeviceDescription& device) {
  if (block.count() > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    throw Error(fmt::format("a block of {} threads; {} can have {}", block.count(), device.name,
                            device.max_threads_per_block));
  }
  const std::array<std::uint32_t, 3> blocks{grid.x, grid.y, grid.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (blocks[i] > device.max_grid[i])
      throw Error(fmt::format("a grid of {} blocks along {}; {} can have {}", blocks[i], "xyz"[i],
                              device.name, device.max_grid[i]));
  }
}

}  // namespace

ProgramRun run_ptx(const std::string& path, const RunOptions& options, const ProgramOutput& output,
                   const std::string& result_file) {
  if (!options.arguments.empty())
    throw Error("a .ptx file has no program that takes arguments", path,
                "give the kernel's arguments with --arg");
  SimulatedRun run(options, output);
  machine::ParameterTable parameters = machine::load_parameters(options.settings.machine);
  for (const std::string& assignment : options.settings.assignments) parameters.set(assignment);
  const std::unique_ptr<machine::Machine> machine = machine::make_machine(parameters);

  Module module = ptx::read_ptx(read_file(path), path);
  const std::uint32_t kernel_index = find_kernel(module, options.ptx.kernel, path);
  kernel::DeviceMemory memory(static_cast<std::uint64_t>(machine->description().memory_bytes));
  memory.keep_released(options.settings.check);
  kernel::Program program(memory);
  machine::Launch launch;
  launch.kernel = {program.load(std::move(module)), kernel_index};
  program.link();
  launch.grid = parse_dimensions("--grid", options.ptx.grid);
  launch.block = parse_dimensions("--block", options.ptx.block);
  launch.dynamic_shared_bytes = options.ptx.shared_bytes;
  check_shape(launch.grid, launch.block, machine->description());
  const PreparedArguments prepared =
      prepare_arguments(program.function(launch.kernel), options.ptx.arguments, memory, path);
  check_outputs(options.ptx, prepared);
  launch.parameters = prepared.frame;

  tell_machine(prepared, *machine);
  machine::LaunchResult launched = machine->launch(
      program, {}, launch, run.begin(program.function(launch.kernel).name, machine->description()));
  run.end();
  for (const Error& remark : machine->remarks())
    run.print_error(fmt::format("raddle: warning: {}\n", remark.full_text()));
  run.print(show_outputs(options.ptx, prepared, memory));
  return run.result({.launch = std::move(launched),
                     .parameters = parameters,
                     .peaks = machine->description().peaks},
                    result_file);
}

}  // namespace raddle::cli
