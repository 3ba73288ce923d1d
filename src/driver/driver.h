// A driver knows one family of programs: which files are its programs, and how these are loaded,
// run, assembled and drawn. It registers itself; the command line knows drivers through this header
// alone. A new family is one folder beside this file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/request.h"

namespace raddle::driver {

struct Family {
  std::string name;                              // "tpa"
  std::vector<std::string> endings;              // ".tpa"
  std::vector<std::string> compiled = {};        // those of them that compiler flags apply to
  std::vector<std::string> explained = {};       // those whose compiler has choices to explain (-v)
  std::vector<std::string> drawn = {};           // those that have a graph
  std::vector<std::string> draw_options = {};    // which options of a graph it takes: "--block"
  std::string other_files = {};                  // "executables made by raddle cc"
  std::string folder = {};                       // benchmarks/FOLDER/NAME.ending is FOLDER/NAME
  machine::ProgramForm form;                     // of the machines that run it
  std::string default_machine;                   // where none is given
  std::vector<std::string> launch_options = {};  // which of LaunchArguments it takes: "--arg"
  bool arguments_are_launch_arguments = false;   // they are given with --arg, not after --
  bool has_assembly = false;
};

// A command of the family with a grammar of its own, such as a compiler: `raddle NAME FLAGS…`.
struct Tool {
  std::string name;
  std::string sentence;  // for the help
  int (*run)(std::span<const std::string> arguments) = nullptr;
  std::string alias = {};  // raddle called by this name is the tool: "nvcc"
};

class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const Family& family() const { return family_; }
  // By the ending of the name.
  bool has_ending(std::string_view path) const;
  // A file that is a program without having one of the endings.
  virtual bool recognises(const std::string& /*path*/) const { return false; }
  FoundProgram program_at(const std::string& path) const;
  // The bundled benchmark of that name: FOLDER/NAME is the first file of that name with one of the
  // endings.
  virtual std::optional<FoundProgram> bundled(const std::string& name) const;
  virtual std::vector<std::string> bundled_programs() const;
  // The bundled program that does the same on machines which cannot run this form of it; empty:
  // there is none, or none is needed.
  virtual std::string other_form(const std::string& /*program*/,
                                 const machine::Traits& /*machine*/) const {
    return {};
  }

  // Compiles the program where that can be done ahead. Throws Error.
  virtual PreparedProgram prepare(const FoundProgram& program, const std::string& compile_flags,
                                  const std::string& output_folder) const;
  // The file that simulates: another build of it may count otherwise.
  virtual std::string simulator() const { return "/proc/self/exe"; }
  // Throws Error for a bad file or argument; faults of the program are in the result, which is also
  // written to its file.
  virtual ProgramRun run(const RunJob& job) const = 0;
  // Why there is no result, or how the program ended if its result does not say; may be empty.
  virtual std::string explain_end(const FoundProgram& program, const ProgramRun& run) const;

  // As text, DOT or SVG; nothing if the program does not compile, which has been said. Throws Error
  // for programs that cannot be drawn.
  virtual std::optional<std::string> draw(const FoundProgram& program,
                                          const DrawRequest& request) const;
  // For a family that has assembly: the assembled or lowered form, and the text of a binary.
  virtual std::string assemble(const FoundProgram& program, const AssemblyRequest& request) const;
  virtual std::string disassemble(const FoundProgram& program) const;
  // Markdown tables of its instruction set; empty: none.
  virtual std::string instruction_set() const { return {}; }
  virtual std::vector<Tool> tools() const { return {}; }

 protected:
  explicit Driver(Family family) : family_(std::move(family)) {}

 private:
  Family family_;
};

// One line next to the class: RADDLE_REGISTER_DRIVER(TpaDriver);
class DriverRegistration {
 public:
  explicit DriverRegistration(const Driver& driver);
};
#define RADDLE_REGISTER_DRIVER(Class)                                            \
  static const ::raddle::driver::DriverRegistration kDriverRegistration_##Class( \
      []() -> const Class& {                                                     \
        static const Class driver;                                               \
        return driver;                                                           \
      }())

// Sorted by name.
std::span<const Driver* const> drivers();
// "a .cu, .cg or .ptx file": what can be drawn.
std::string drawable_files();
// By the ending of a file's name; null: of none of them.
const Driver* driver_of(std::string_view path);

// By its ending, by what the file is, or as the name of a bundled benchmark. Throws Error.
FoundProgram find_program(const std::string& program);

}  // namespace raddle::driver
