// A kernel as a fabric runs it: pieces that are configured one after the other, each a
// straight-line code that says what its threads compute and a dataflow graph that says on which
// units. A kernel of one piece streams all its threads through one configuration (SGMF); otherwise
// the threads that need a piece next are gathered and streamed through it, with their live values
// in a cache (VGIW).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/exec/decoded.h"
#include "kernel/module.h"
#include "machine/cgra/compile/compile_options.h"
#include "machine/cgra/compile/piece_code.h"

namespace raddle::machine::cgra {

inline constexpr std::uint32_t kToEnd = 0xffffffffu;   // as the target of an exit: the thread ends
inline constexpr std::uint32_t kToTrap = 0xfffffffeu;  // or stops the launch

struct Exit {
  kernel::Guard condition;
  std::uint32_t piece = kToEnd;
  std::uint32_t location = 0;
};

// Where a value is offered to other threads.
struct Tag {
  std::uint32_t channel = 0;
  std::uint32_t code = 0;  // place in the piece's code
};

struct Piece {
  Entry entry = Entry::kFree;
  std::uint32_t entry_instruction = 0;
  std::uint32_t copies = 0;  // instructions from here on write slots of live values
  std::vector<Exit> exits;
  PieceGraph graph;
  bool polls = false;  // reads what other threads may change
  std::vector<Tag> tags;
  // Receives, by their place in the code, of what an earlier piece sent.
  std::vector<std::uint32_t> far_receives;
};

// How often a thread needs a value that the program computes, however the kernel is cut.
enum class Need : std::uint8_t {
  kEachTime,   // as often as it runs the piece that computes it
  kOnce,       // it follows from the thread's coordinates
  kMaybeNever  // only on some paths, or only because paths were joined in a piece
};

struct FabricKernel {
  // Block p holds the code of piece p, the last one what is the same for all threads of a launch.
  kernel::Function function;
  std::vector<Piece> pieces;     // threads start in the first
  std::uint32_t live_bytes = 0;  // of a thread in the live-value cache
  std::uint32_t block_threads = 0;
  std::vector<Need> needs;  // by register of the program

  std::uint32_t constants_block() const { return static_cast<std::uint32_t>(pieces.size()); }
};

// Throws Error that names the line for what does not fit a fabric at all.
FabricKernel compile_for_fabric(const kernel::Function& function, const kernel::Module& module,
                                const CompileOptions& options);

}  // namespace raddle::machine::cgra
