#include "driver/ddm/cxx_command.h"

#include "base/console.h"
#include "base/error.h"
#include "base/exit_status.h"
#include "lang/ddm/ddm_compiler.h"

namespace raddle::driver::ddm {
namespace {

constexpr const char* kHelp =
    "raddle c++: compiles data-driven C++ programs (raddle/ddm.h) with clang's flags\n"
    "\n"
    "Usage: raddle c++ FILE… [-o PROGRAM] [--mpi | --simulated] [FLAGS]\n"
    "\n"
    "  --mpi         run it on all ranks that mpirun starts; started otherwise, on this host\n"
    "  --simulated   instrument it: where RADDLE_DDM_RECORD names a file, the program records\n"
    "                itself there for d2now, placed on the nodes of RADDLE_DDM_NODES (1,2,4)\n"
    "\n"
    "Examples:\n"
    "  raddle c++ fib.ddm.cpp -o fib && ./fib      an ordinary program; RADDLE_DDM_WORKERS "
    "threads\n"
    "  raddle c++ --mpi heat.ddm.cpp -o heat && mpirun -n 4 ./heat\n"
    "  raddle c++ -c part.cpp                      an object, to be linked later\n"
    "  raddle run fib.ddm.cpp -m d2now             simulates without a program of your own\n";

ddm_lang::CompileRequest parse(std::span<const std::string> arguments) {
  ddm_lang::CompileRequest request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--simulated") {
      request.instrument = true;
    } else if (word == "--mpi") {
      request.mpi = true;
    } else if (word == "-c") {
      request.compile_only = true;
    } else if (word == "-o") {
      if (i + 1 == arguments.size()) throw Error("-o needs a file name", {}, "write -o PROGRAM");
      request.output = arguments[++i];
    } else if (word.starts_with("-")) {
      request.flags.push_back(word);
    } else {
      request.inputs.push_back(word);
    }
  }
  if (request.mpi && request.instrument) {
    throw Error("--mpi and --simulated exclude each other", {},
                "d2now simulates nodes from one process");
  }
  if (request.inputs.empty()) throw Error("no file to compile", {}, "raddle c++ --help");
  return request;
}

}  // namespace

int cxx_command(std::span<const std::string> arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    print(kHelp);
    return 0;
  }
  ddm_lang::CompileRequest request;
  try {
    request = parse(arguments);
  } catch (const Error& error) {
    print_error("raddle c++: " + error.full_text() + "\n");
    return kUsageFault;
  }
  const ddm_lang::CompileOutcome outcome = ddm_lang::compile(request);
  print_error(outcome.diagnostics);
  return outcome.status == 0 ? 0 : kUserFault;
}

}  // namespace raddle::driver::ddm
