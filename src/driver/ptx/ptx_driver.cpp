// Kernels of .ptx files, which need no compiler and no host program: arguments, grid and block come
// from the command line.
#include <fmt/format.h>

#include <cstring>

#include "base/atomic_file.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "driver/driver.h"
#include "driver/ptx/kernel_graph.h"
#include "driver/ptx/ptx_arguments.h"
#include "driver/simulated_run.h"
#include "lang/ptx/reader.h"
#include "machine/kernel_machine.h"

namespace raddle::driver::ptx {

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
    throw Error(fmt::format("{} kernels are named '{}'", places.size(), wanted), path,
                "choose one with its parameters: " + joined(full_names));
  std::string hint = suggestion(wanted, names);
  throw Error(fmt::format("unknown kernel '{}'", wanted), path,
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

// Device memory of the buffers, in the order of the arguments; 0 for what is not a buffer.
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
void tell_machine(const PreparedArguments& prepared, machine::KernelMachine& machine) {
  for (std::size_t i = 0; i < prepared.arguments.size(); ++i) {
    if (prepared.arguments[i].is_buffer)
      machine.host_wrote(Address(prepared.addresses[i]),
                         Bytes(prepared.arguments[i].content.size()));
  }
}

const KernelArgument& buffer_at(const PreparedArguments& prepared, std::size_t index,
                                const char* option) {
  if (index < prepared.arguments.size() && prepared.arguments[index].is_buffer)
    return prepared.arguments[index];
  throw Error(fmt::format("{} {}: that argument is not a buffer", option, index), {},
              "the first --arg is number 0");
}

std::vector<std::byte> content_of(const kernel::DeviceMemory& memory,
                                  const PreparedArguments& prepared, std::size_t index) {
  const std::byte* begin = memory.view(prepared.addresses[index]);
  return {begin, begin + prepared.arguments[index].content.size()};
}

// Checks --show and --dump before the kernel runs, so that a slip does not cost the run.
void check_outputs(const LaunchArguments& launch, const PreparedArguments& prepared) {
  for (const std::string& text : launch.shown)
    buffer_at(prepared, parse_indexed("--show", text).index, "--show");
  for (const std::string& text : launch.dumped) {
    const IndexedOption option = parse_indexed("--dump", text);
    buffer_at(prepared, option.index, "--dump");
    if (option.rest.empty())
      throw Error(fmt::format("--dump '{}' lacks a file name", text), {},
                  "write it as --dump 0:FILE");
  }
}

std::string show_outputs(const LaunchArguments& launch, const PreparedArguments& prepared,
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
    throw Error(fmt::format("{} threads per block exceed the limit of {} on {}", block.count(),
                            device.max_threads_per_block, device.name));
  }
  const std::array<std::uint32_t, 3> blocks{grid.x, grid.y, grid.z};
  for (std::size_t i = 0; i < 3; ++i) {
    if (blocks[i] > device.max_grid[i])
      throw Error(fmt::format("{} blocks along {} exceed the limit of {} on {}", blocks[i],
                              "xyz"[i], device.max_grid[i], device.name));
  }
}

class PtxDriver : public Driver {
 public:
  PtxDriver()
      : Driver({.name = "ptx",
                .endings = {".ptx"},
                .drawn = {".ptx"},
                .draw_options = {"--kernel", "--set", "--placed", "--block", "--piece"},
                .form = machine::ProgramForm::kKernels,
                .default_machine = "ref",
                .launch_options = {"--kernel", "--grid", "--block", "--shared", "--arg", "--show",
                                   "--dump"},
                .arguments_are_launch_arguments = true}) {}

  ProgramRun run(const RunJob& job) const override;

  std::optional<std::string> draw(const FoundProgram& program,
                                  const DrawRequest& request) const override {
    return draw_kernels(read_file(program.path), program.asked, request);
  }
};
RADDLE_REGISTER_DRIVER(PtxDriver);

ProgramRun PtxDriver::run(const RunJob& job) const {
  const std::string& path = job.program.path;
  const LaunchArguments& given = job.request.launch;
  if (!job.request.arguments.empty())
    throw Error("a .ptx file has no host program to take arguments", path,
                "give the kernel's arguments with --arg");
  SimulatedRun run(job);
  const std::unique_ptr<machine::KernelMachine> machine =
      machine::make_kernel_machine(job.parameters);

  Module module = raddle::ptx::read_ptx(read_file(path), path);
  const std::uint32_t kernel_index = find_kernel(module, given.kernel, path);
  kernel::DeviceMemory memory(static_cast<std::uint64_t>(machine->description().memory_bytes));
  memory.keep_released(job.request.settings.check.memory);
  kernel::Program program(memory);
  machine::Launch launch;
  launch.kernel = {program.load(std::move(module)), kernel_index};
  program.link();
  launch.grid = parse_dimensions("--grid", given.grid);
  launch.block = parse_dimensions("--block", given.block);
  launch.dynamic_shared_bytes = given.shared_bytes;
  check_shape(launch.grid, launch.block, machine->description());
  const PreparedArguments prepared =
      prepare_arguments(program.function(launch.kernel), given.arguments, memory, path);
  check_outputs(given, prepared);
  launch.parameters = prepared.frame;

  tell_machine(prepared, *machine);
  machine::LaunchResult launched =
      machine->launch(program, {}, launch, run.begin(program.function(launch.kernel).name));
  run.end(*machine);
  run.print(show_outputs(given, prepared, memory));
  return run.result({.launch = std::move(launched), .machine = *machine});
}

}  // namespace
}  // namespace raddle::driver::ptx
