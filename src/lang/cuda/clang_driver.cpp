#include "lang/cuda/clang_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "lang/cuda/carried_image.h"
#include "lang/cuda/cuda_library.h"
#include "lang/cuda/device_linkage.h"
#include "lang/cuda/diagnostics.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/cuda/precompiled_header.h"
#include "lang/cuda/ptx_text.h"
#include "lang/cuda/registration_order.h"
#include "lang/cuda/shadow_variables.h"
#include "lang/cuda/source_overlay.h"
#include "lang/cuda/tool_run.h"

extern char** environ;

namespace raddle::cuda {

namespace {

namespace fs = std::filesystem;

// Of the host's half: link-time optimisation has no assembly, and what these write beside the
// object would be written beside an intermediate file. Registration then keeps clang's order.
bool wants_object(const CompileRequest& request) {
  return !request.relocatable && std::ranges::any_of(request.host_flags, [](std::string_view flag) {
    return flag.starts_with("-flto") || flag.starts_with("-gsplit-dwarf") ||
           flag.starts_with("-fprofile") || flag == "--coverage" || flag == "-ftest-coverage";
  });
}

class Compilation {
 public:
  Compilation(const CompileRequest& request, const Toolchain& toolchain,
              const CompileExtras& extras)
      : request_(request), toolchain_(toolchain), extras_(extras) {}

  CompileOutcome run();

 private:
  std::unique_ptr<ToolRun> start(const Command& command);  // null: --dryrun
  bool finish(const std::unique_ptr<ToolRun>& run, bool keep_output = false);
  bool execute(const Command& command, bool keep_output = false);
  bool compile_inputs(std::vector<std::string>& objects, bool to_folder);
  bool compile_input(const Input& input, const std::string& output);
  bool compile_cuda(const Input& input, const std::string& output);
  bool make_ptx(const Input& input, const std::string& output, SourceJob& job);
  bool make_image(const Input& input, const std::string& output);
  bool compile_object(const Input& input, const std::string& output);
  SourceJob device_job(const Input& input);
  std::string take_ptx(const SourceJob& job, const Input& input);
  bool assemble(const SourceJob& host, const std::string& image, const std::string& ptx,
                const std::string& output);
  std::string image_file(const std::string& ptx);
  std::vector<std::string> dependency_flags_for(const std::string& output) const;
  bool make_host_source(const Input& input, const std::string& output);
  bool preprocess(const Input& input);
  bool link();
  CompileRequest with_library_archives();
  bool archive();
  SourceJob prepare(const Input& input);
  std::string placed(const std::string& name) const;
  std::string output_named(const std::string& fallback) const;
  std::string default_output(const Input& input, const char* ending) const;
  void run_linked(const std::string& program);
  void collect_dependencies(const SourceJob& job);
  void use_headers(std::initializer_list<std::pair<Side, SourceJob*>> halves);
  std::string scratch(const char* ending) {
    return folder_.file(fmt::format("{}{}", next_file_++, ending));
  }

  const CompileRequest& request_;
  const Toolchain& toolchain_;
  const CompileExtras& extras_;
  TemporaryFolder folder_;
  CompileOutcome outcome_;
  int next_file_ = 0;
};

std::unique_ptr<ToolRun> Compilation::start(const Command& command) {
  if (request_.verbose || request_.dry_run) {
    // nvcc writes its commands to standard error, and scripts look for them there.
    outcome_.diagnostics += "#$ " + shell_quoted(command.arguments) + "\n";
  }
  return request_.dry_run ? nullptr : std::make_unique<ToolRun>(command);
}

bool Compilation::finish(const std::unique_ptr<ToolRun>& run, bool keep_output) {
  if (run == nullptr) return true;
  outcome_.status = run->wait();
  const std::string said = run->errors();
  outcome_.diagnostics += translate_diagnostics(said);
  if (keep_output) outcome_.output += run->output();
  if (run->signal() != 0) {
    outcome_.diagnostics +=
        fmt::format("raddle cc: the compiler was killed by signal {}\n", run->signal());
  } else if (outcome_.status != 0 && said.empty()) {
    outcome_.diagnostics +=
        fmt::format("raddle cc: error: {} failed with status {} and no message\n", run->tool(),
                    outcome_.status);
  }
  return outcome_.status == 0;
}

bool Compilation::execute(const Command& command, bool keep_output) {
  return finish(start(command), keep_output);
}

// In the folder for outputs, unless it names one of its own.
std::string Compilation::placed(const std::string& name) const {
  if (name.empty() || fs::path(name).has_parent_path()) return name;
  return (fs::path(request_.output_folder) / name).string();
}

std::string Compilation::output_named(const std::string& fallback) const {
  return placed(request_.output.empty() ? fallback : request_.output);
}

std::string Compilation::default_output(const Input& input, const char* ending) const {
  return output_named(fs::path(input.path).filename().replace_extension(ending).string());
}

SourceJob Compilation::prepare(const Input& input) {
  const SourceOverlay overlay = prepare_source(input.path, request_, folder_);
  if (extras_.must_be_cuda && !overlay.mentions_cuda) {
    throw Error("not a CUDA program: it has neither a kernel nor a CUDA call", input.path,
                "a kernel is a function marked __global__");
  }
  SourceJob job;
  job.source = input.path;
  job.overlay_file = overlay.overlay_file;
  job.needs_cxx20 = overlay.includes_dmt;
  return job;
}

void Compilation::collect_dependencies(const SourceJob& job) {
  if (!job.dependency_file.empty() && !request_.dry_run)
    outcome_.dependencies += read_file(job.dependency_file);
}

void Compilation::use_headers(std::initializer_list<std::pair<Side, SourceJob*>> halves) {
  std::vector<Side> sides;
  for (const auto& [side, job] : halves) sides.push_back(side);
  const auto headers =
      precompiled_headers(toolchain_, request_, halves.begin()->second->needs_cxx20, sides);
  auto header = headers.begin();
  for (const auto& [side, job] : halves) {
    job->header_file = *header ? (*header)->file : std::string();
    if (*header && extras_.want_dependencies) outcome_.dependencies += (*header)->dependencies;
    ++header;
  }
}

SourceJob Compilation::device_job(const Input& input) {
  SourceJob job = prepare(input);
  job.output = scratch(".clang.ptx");
  if (extras_.want_dependencies) job.dependency_file = scratch(".d");
  return job;
}

// After the device's half has been compiled.
std::string Compilation::take_ptx(const SourceJob& job, const Input& input) {
  collect_dependencies(job);
  if (request_.dry_run) return {};
  std::string ptx = with_registered_names(read_file(job.output), request_.relocatable);
  if (job.needs_cxx20 && extras_.check_inter_thread) extras_.check_inter_thread(ptx, input.path);
  if (request_.max_registers > 0) ptx = limit_registers(ptx, request_.max_registers);
  return ptx;
}

// Fills `job` for the host's half that follows.
bool Compilation::make_ptx(const Input& input, const std::string& output, SourceJob& job) {
  job = device_job(input);
  use_headers({{Side::kDevice, &job}});
  if (!execute(device_command(toolchain_, request_, job))) return false;
  const std::string ptx = take_ptx(job, input);
  if (request_.dry_run) return true;
  if (output == "-") {
    outcome_.output += ptx;
  } else {
    write_file_atomically(output, ptx);
  }
  return true;
}

// Programs read such a file as a whole and pass on where it begins, so it ends like a C string.
bool Compilation::make_image(const Input& input, const std::string& output) {
  SourceJob job;
  const std::string ptx_file = scratch(".ptx");
  if (!make_ptx(input, ptx_file, job)) return false;
  if (!request_.dry_run) write_file_atomically(output, read_file(ptx_file) + '\0');
  return true;
}

// What the host's half carries; the runtime reads it as a C string.
std::string Compilation::image_file(const std::string& ptx) {
  const std::string image = scratch(".image");
  write_scratch_file(image, ptx + '\0');
  return image;
}

// Both halves at once: the assembler puts the device's into the host's.
bool Compilation::compile_cuda(const Input& input, const std::string& output) {
  if (wants_object(request_)) return compile_object(input, output);
  SourceJob device = device_job(input);
  SourceJob host = device;
  host.output = scratch(".s");
  if (extras_.want_dependencies) host.dependency_file = scratch(".d");
  use_headers({{Side::kDevice, &device}, {Side::kHost, &host}});
  const std::string placeholder = scratch(".placeholder");
  write_scratch_file(placeholder, kImagePlaceholder);
  CompileRequest host_request = request_;
  host_request.dependency_flags = dependency_flags_for(output);

  const auto device_run = start(device_command(toolchain_, request_, device));
  const auto host_run = start(host_command(toolchain_, host_request, host, placeholder, "-S"));
  // What the device's half complains of, the host's does as well.
  if (!finish(device_run)) return false;
  const std::string ptx = take_ptx(device, input);
  if (!extras_.ptx_file.empty()) write_scratch_file(extras_.ptx_file, ptx);
  if (!finish(host_run)) return false;
  collect_dependencies(host);
  return assemble(host, image_file(ptx), ptx, output);
}

bool Compilation::compile_object(const Input& input, const std::string& output) {
  SourceJob job = device_job(input);
  SourceJob host = job;
  use_headers({{Side::kDevice, &job}, {Side::kHost, &host}});
  if (!execute(device_command(toolchain_, request_, job))) return false;
  const std::string ptx = take_ptx(job, input);
  if (!extras_.ptx_file.empty()) write_scratch_file(extras_.ptx_file, ptx);
  host.output = output;
  const bool good = execute(host_command(toolchain_, request_, host, image_file(ptx), "-c"));
  if (good) collect_dependencies(host);
  return good;
}

// The dependency file is named after the object, not after the intermediate file.
std::vector<std::string> Compilation::dependency_flags_for(const std::string& output) const {
  std::vector<std::string> flags = request_.dependency_flags;
  if (flags.empty()) return flags;
  const auto has = [&](const char* flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  };
  if (!has("-MT")) flags.insert(flags.end(), {"-MT", output});
  if (!has("-MF"))
    flags.insert(flags.end(), {"-MF", fs::path(output).replace_extension(".d").string()});
  return flags;
}

bool Compilation::assemble(const SourceJob& host, const std::string& image, const std::string& ptx,
                           const std::string& output) {
  if (!request_.dry_run) {
    std::string text = carry_image(register_before_constructors(read_file(host.output)), image);
    if (request_.relocatable) {
      text = make_shadows_shared(text, shared_variables(ptx)) + device_linkage(device_symbols(ptx));
    }
    write_scratch_file(host.output, text);
  }
  SourceJob assembly;
  assembly.source = host.output;
  assembly.output = output;
  Command command = plain_command(toolchain_, request_, Language::kAssembler, assembly);
  // clang itself writes files with and without checksums into one line table, and warns of it.
  command.arguments.emplace_back("-Wa,--no-warn");
  return execute(command);
}

// -cuda promises C++ that any host compiler takes. The host's half is already compiled; its
// assembly is passed on.
bool Compilation::make_host_source(const Input& input, const std::string& output) {
  SourceJob job;
  const std::string ptx_file = scratch(".ptx");
  if (!make_ptx(input, ptx_file, job)) return false;
  const std::string image = image_file(request_.dry_run ? std::string() : read_file(ptx_file));
  job.output = scratch(".s");
  job.dependency_file.clear();
  job.header_file.clear();
  CompileRequest request = request_;
  // Line tables of two compilers cannot share one object.
  std::erase(request.host_flags, "-g");
  request.host_lines = false;
  if (!execute(host_command(toolchain_, request, job, image, "-S"))) return false;
  if (request_.dry_run) return true;
  std::string source = fmt::format("// {}, compiled by raddle cc -cuda.\n", input.path);
  const std::string assembly = register_before_constructors(read_file(job.output));
  for (std::size_t start = 0; start < assembly.size();) {
    const std::size_t end = std::min(assembly.find('\n', start), assembly.size());
    const std::string line = assembly.substr(start, end - start);
    start = end + 1;
    // These belong to the whole object, which the other compiler describes itself.
    if (line.starts_with("\t.file\t") || line.starts_with("\t.ident\t") ||
        line.starts_with("\t.addrsig"))
      continue;
    source += fmt::format("__asm__(R\"raddle({}\n)raddle\");\n", line);
  }
  write_file_atomically(output, source);
  return true;
}

bool Compilation::preprocess(const Input& input) {
  SourceJob job = input.language == Language::kCuda ? prepare(input) : SourceJob{};
  job.source = input.path;
  job.output = placed(request_.output);
  if (request_.stage == Stage::kPreprocess)
    return execute(preprocess_command(toolchain_, request_, job, "-E"), true);
  CompileRequest request = request_;
  if (!request.output_folder.empty()) {
    const fs::path object = fs::path(input.path).filename().replace_extension(".o");
    request.dependency_flags.insert(request.dependency_flags.end(),
                                    {"-MT", placed(object.string())});
  }
  return execute(preprocess_command(toolchain_, request, job, "-M"), true);
}

bool Compilation::compile_input(const Input& input, const std::string& output) {
  if (input.language == Language::kCuda) return compile_cuda(input, output);
  if (!fs::exists(input.path)) throw Error(fmt::format("no such file: '{}'", input.path));
  SourceJob job;
  job.source = input.path;
  job.output = output;
  if (extras_.want_dependencies && input.language != Language::kAssembler)
    job.dependency_file = scratch(".d");
  const bool good = execute(plain_command(toolchain_, request_, input.language, job));
  if (good) collect_dependencies(job);
  return good;
}

bool Compilation::compile_inputs(std::vector<std::string>& objects, bool to_folder) {
  for (const Input& input : request_.inputs) {
    if (input.language == Language::kObject) {
      if (!fs::exists(input.path)) throw Error(fmt::format("no such file: '{}'", input.path));
      objects.push_back(input.path);
      continue;
    }
    objects.push_back(to_folder ? scratch(".o") : default_output(input, ".o"));
    if (!compile_input(input, objects.back())) return false;
  }
  return true;
}

// CUDA's libraries by their path instead of -lcublas.
CompileRequest Compilation::with_library_archives() {
  CompileRequest request = request_;
  request.link_flags.clear();
  for (const std::string& flag : request_.link_flags) {
    const std::vector<std::string_view> libraries =
        flag.starts_with("-l") ? cuda_libraries_of(std::string_view(flag).substr(2))
                               : std::vector<std::string_view>();
    if (libraries.empty() || request_.dry_run) request.link_flags.push_back(flag);
    if (request_.dry_run) continue;
    for (const std::string_view name : libraries) {
      const CudaLibrary library = cuda_library(name, toolchain_);
      request.link_flags.push_back(library.archive);
      if (extras_.want_dependencies) outcome_.dependencies += library.dependencies;
    }
  }
  return request;
}

bool Compilation::link() {
  std::vector<std::string> objects;
  if (!compile_inputs(objects, true)) return false;
  if (!request_.dry_run &&
      !fs::exists(fs::path(toolchain_.library_folder) / "libraddle-cudart.so")) {
    throw Error("Raddle's runtime library libraddle-cudart.so is missing",
                toolchain_.library_folder, "build it: make build");
  }
  const std::string output = output_named("a.out");
  if (!execute(link_command(toolchain_, with_library_archives(), objects, output))) return false;
  if (request_.run && !request_.dry_run) run_linked(output);
  return true;
}

void Compilation::run_linked(const std::string& program) {
  Command command;
  command.arguments.push_back(fs::absolute(program).string());
  command.arguments.insert(command.arguments.end(), request_.run_arguments.begin(),
                           request_.run_arguments.end());
  for (char** variable = environ; *variable != nullptr; ++variable)
    command.environment.emplace_back(*variable);
  Process process(command, {});
  outcome_.status = process.wait();
}

bool Compilation::archive() {
  std::vector<std::string> objects;
  if (!compile_inputs(objects, true)) return false;
  return execute(archive_command(request_, objects, output_named("a.a")));
}

CompileOutcome Compilation::run() {
  switch (request_.stage) {
    case Stage::kLink: link(); break;
    case Stage::kArchive: archive(); break;
    case Stage::kCompile: {
      std::vector<std::string> objects;
      compile_inputs(objects, false);
      break;
    }
    case Stage::kPtx:
    case Stage::kDeviceImage:
    case Stage::kHostSource:
      for (const Input& input : request_.inputs) {
        if (input.language != Language::kCuda) throw Error("not a CUDA file", input.path);
        SourceJob job;
        bool good = false;
        if (request_.stage == Stage::kPtx) {
          good = make_ptx(input, default_output(input, ".ptx"), job);
        } else if (request_.stage == Stage::kDeviceImage) {
          good = make_image(input, default_output(input, request_.image_ending.c_str()));
        } else {
          good = make_host_source(input, default_output(input, ".cu.cpp.ii"));
        }
        if (!good) break;
      }
      break;
    case Stage::kPreprocess:
    case Stage::kDependencies:
      for (const Input& input : request_.inputs) {
        if (!preprocess(input)) break;
      }
      break;
    case Stage::kDeviceLink: {
      // Devices link when the program starts; build scripts still expect the file.
      const std::string empty = scratch(".c");
      write_scratch_file(empty, "");
      SourceJob job;
      job.source = empty;
      job.output = output_named("a_dlink.o");
      execute(plain_command(toolchain_, request_, Language::kC, job));
      break;
    }
    case Stage::kVersion: outcome_.output = nvcc_version_text(); break;
    case Stage::kHelp: outcome_.output = nvcc_flags_help(); break;
  }
  return std::move(outcome_);
}

}  // namespace

CompileOutcome compile(const CompileRequest& request, const Toolchain& toolchain,
                       const CompileExtras& extras) {
  return Compilation(request, toolchain, extras).run();
}

}  // namespace raddle::cuda
