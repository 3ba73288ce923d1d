// Child processes without a shell: the compiler and the programs it makes. A compiler gets an
// environment made from nothing but a short list, so that no variable of a CUDA toolkit that lies
// on the machine can change what is built.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace raddle::cuda {

class Sandbox;

struct Command {
  std::vector<std::string> arguments;    // [0] is the absolute path of the tool
  std::vector<std::string> environment;  // "NAME=value"
  const Sandbox* sandbox = nullptr;      // null: the process may do all that we may
};

// A file without a name, in memory: what a compiler says is to be heard on a full disk, too.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int handle() const { return handle_; }
  std::string content() const;

 private:
  int handle_ = -1;
};

// Where a process writes. Without a name or a handle the stream stays as it is.
struct Streams {
  std::string output_file;
  std::string error_file;
  int output_handle = -1;
  int error_handle = -1;
  bool output_to_error = false;  // standard output goes where standard error goes
};

// A started process. One that nobody has waited for is ended with its object.
class Process {
 public:
  // Throws Error if the tool cannot be started.
  Process(const Command& command, const Streams& streams);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Once. The exit status; a process ended by signal N gives 128 + N, as in a shell. Where the stop
  // token in force says so first, ends the process and throws Stopped; `phase` is what it does for
  // us.
  int wait(const char* phase = "compiling");
  // After wait(): the signal that ended the process, which its status does not tell apart from an
  // exit with 128 + N; 0 if it exited.
  int signal() const { return signal_; }
  // False if the process still runs after this time. Then, or if time cannot be taken on this
  // system, wait() follows.
  bool ends_within(double seconds) const;
  pid_t id() const { return id_; }

 private:
  // Asks the process and its children to end.
  void terminate() const;

  pid_t id_ = -1;
  int signal_ = 0;
  bool waited_ = false;
};

// LANG, HOME, TMPDIR … of this process and a fixed PATH; nothing else.
std::vector<std::string> compiler_environment();

// The absolute path of a tool in the usual system folders, then in PATH; empty if there is none.
std::string find_tool(const std::string& name);

// A fresh folder for intermediate files, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace raddle::cuda
