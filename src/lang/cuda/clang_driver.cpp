#include "lang/cuda/clang_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/shell_words.h"
#include "lang/cuda/cuda_library.h"
#include "lang/cuda/device_linkage.h"
#include "lang/cuda/diagnostics.h"
#include "lang/cuda/nvcc_arguments.h"
#include "lang/cuda/precompiled_header.h"
#include "lang/cuda/ptx_text.h"
#include "lang/cuda/registration_order.h"
#include "lang/cuda/shadow_variables.h"
#include "lang/cuda/source_overlay.h"

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
  bool execute(const Command& command, bool keep_output = false);
  bool compile_inputs(std::vector<std::string>& objects, bool to_folder);
  bool compile_input(const Input& input, const std::string& output);
  bool compile_cuda(const Input& input, const std::string& output);
  bool make_ptx(const Input& input, const std::string& output, SourceJob& job);
  bool make_image(const Input& input, const std::string& output);
  bool compile_host_half(const SourceJob& job, const std::string& image, const std::string& ptx,
                         const std::string& output);
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
  void use_header(SourceJob& job, Side side);
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

bool Compilation::execute(const Command& command, bool keep_output) {
  if (request_.verbose || request_.dry_run) {
    // nvcc writes its commands to standard error, and scripts look for them there.
    outcome_.diagnostics += "#$ " + shell_quoted(command.arguments) + "\n";
  }
  if (request_.dry_run) return true;
  const MemoryFile output;
  const MemoryFile errors;
  Streams streams;
  streams.output_handle = output.handle();
  streams.error_handle = errors.handle();
  Process process(command, streams);
  outcome_.status = process.wait();
  const std::string said = errors.content();
  outcome_.diagnostics += translate_diagnostics(said);
  if (keep_output) outcome_.output += output.content();
  if (process.signal() != 0) {
    outcome_.diagnostics +=
        fmt::format("raddle cc: the compiler was killed by signal {}\n", process.signal());
  } else if (outcome_.status != 0 && said.empty()) {
    outcome_.diagnostics +=
        fmt::format("raddle cc: error: {} failed with status {} and no message\n",
                    command.arguments.front(), outcome_.status);
  }
  return outcome_.status == 0;
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

void Compilation::use_header(SourceJob& job, Side side) {
  job.header_file.clear();
  if (extras_.header_cache.empty()) return;
  const std::optional<PrecompiledHeader> header =
      precompiled_header(toolchain_, request_, job.needs_cxx20, side, extras_.header_cache);
  if (!header) return;
  job.header_file = header->file;
  outcome_.dependencies += header->dependencies;
}

// Fills `job` for the host's half that follows.
bool Compilation::make_ptx(const Input& input, const std::string& output, SourceJob& job) {
  job = prepare(input);
  job.output = scratch(".clang.ptx");
  if (extras_.want_dependencies) job.dependency_file = scratch(".d");
  use_header(job, Side::kDevice);
  if (!execute(device_command(toolchain_, request_, job))) return false;
  collect_dependencies(job);
  if (request_.dry_run) return true;
  std::string ptx = with_registered_names(read_file(job.output), request_.relocatable);
  if (job.needs_cxx20 && extras_.check_inter_thread) extras_.check_inter_thread(ptx, input.path);
  if (request_.max_registers > 0) ptx = limit_registers(ptx, request_.max_registers);
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

bool Compilation::compile_cuda(const Input& input, const std::string& output) {
  SourceJob job;
  const std::string ptx_file = extras_.ptx_file.empty() ? scratch(".ptx") : extras_.ptx_file;
  if (!make_ptx(input, ptx_file, job)) return false;
  const std::string ptx = request_.dry_run ? std::string() : read_file(ptx_file);
  const std::string image = scratch(".image");
  write_file_atomically(image, ptx + '\0');  // the runtime reads the image as a C string
  if (extras_.want_dependencies) job.dependency_file = scratch(".d");
  use_header(job, Side::kHost);
  if (!wants_object(request_)) return compile_host_half(job, image, ptx, output);
  job.output = output;
  const bool good = execute(host_command(toolchain_, request_, job, image, "-c"));
  if (good) collect_dependencies(job);
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

bool Compilation::compile_host_half(const SourceJob& job, const std::string& image,
                                    const std::string& ptx, const std::string& output) {
  SourceJob host = job;
  host.output = scratch(".s");
  CompileRequest request = request_;
  request.dependency_flags = dependency_flags_for(output);
  if (!execute(host_command(toolchain_, request, host, image, "-S"))) return false;
  collect_dependencies(host);
  if (!request_.dry_run) {
    std::string text = register_before_constructors(read_file(host.output));
    if (request_.relocatable) {
      text = make_shadows_shared(text, shared_variables(ptx)) + device_linkage(device_symbols(ptx));
    }
    write_file_atomically(host.output, text);
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
  const std::string image = scratch(".image");
  write_file_atomically(image, (request_.dry_run ? std::string() : read_file(ptx_file)) + '\0');
  job.output = scratch(".s");
  job.dependency_file.clear();
  CompileRequest request = request_;
  std::erase(request.host_flags, "-g");  // line tables of two compilers cannot share one object
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
      write_file_atomically(empty, "");
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
