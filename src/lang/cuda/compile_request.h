// What a compile command asks for, after nvcc's flags have been understood: plain data between the
// command line (nvcc_arguments.h) and the driver that carries it out (clang_driver.h).
#pragma once

#include <string>
#include <vector>

namespace raddle::cuda {

enum class Language { kCuda, kC, kCxx, kAssembler, kObject };

struct Input {
  std::string path;
  Language language = Language::kCuda;
};

// How far to go.
enum class Stage {
  kLink,
  kCompile,       // -c, -dc
  kPtx,           // -ptx
  kDeviceImage,   // -fatbin, -cubin: a file for cuModuleLoad, which is PTX here
  kHostSource,    // -cuda: a file that any host compiler takes
  kPreprocess,    // -E
  kDependencies,  // -M, -MM
  kDeviceLink,    // -dlink: nothing to do, as devices link when the program starts
  kArchive,       // -lib
  kVersion,       // --version
  kHelp,          // --help
};

struct CompileRequest {
  Stage stage = Stage::kLink;
  std::vector<Input> inputs;
  std::string output;                         // empty: named after the input
  std::string output_folder;                  // of outputs that name no folder; empty: this one
  int architecture = 70;                      // what clang compiles for, and __CUDA_ARCH__ / 10
  std::string standard;                       // "gnu++17"; empty: chosen by the source
  std::vector<std::string> common_flags;      // -D -U -I -isystem -include: both sides
  std::vector<std::string> host_flags;        // -O, -g, -W…, what -Xcompiler carried
  std::vector<std::string> device_flags;      // arithmetic modes
  std::vector<std::string> link_flags;        // -L -l -Xlinker -shared, in order
  std::vector<std::string> dependency_flags;  // -MD -MF …
  std::vector<std::string> archive_flags;
  std::string image_ending;  // of device images: ".fatbin", ".cubin"
  int max_registers = 0;     // -maxrregcount
  bool relocatable = false;  // -rdc=true, -dc: device symbols are shared between translation units
  bool openmp = false;
  bool host_lines = true;                  // line tables of the host's part
  bool no_warnings = false;                // -w
  bool verbose = false;                    // -v: prints the commands
  bool dry_run = false;                    // --dryrun: prints them and does nothing
  bool run = false;                        // -run: runs the program when it is linked
  std::vector<std::string> run_arguments;  // -run-args
};

}  // namespace raddle::cuda
