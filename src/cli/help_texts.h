// What the help of each command ends with: what its arguments mean, and examples. Apart from the
// options, so that command_options.cpp reads as the grammar it is.
#pragma once

namespace raddle::cli {

inline constexpr const char* kPurpose =
    "Runs parallel programs on simulated machines and says what they cost, and why.";

inline constexpr const char* kFooter =
    "Examples:\n"
    "  raddle run vecadd.cu                      compile, run on the reference machine, print a "
    "summary\n"
    "  raddle compare vecadd.cu -m ref,fermi     the same program on two machines, side by side\n"
    "  raddle cc vecadd.cu -o vecadd             an ordinary executable whose device is simulated\n"
    "  raddle c++ lu.ddm.cpp -o lu               a data-driven program for this host\n"
    "\n"
    "raddle COMMAND --help says more about each. Exit status: the program's own; 1 for an error "
    "in\n"
    "the program or its input, 2 for wrong usage, 70 for an internal error.";

inline constexpr const char* kRunFooter =
    "raddle machines lists the machines. What follows -- is passed to the program.\n"
    "\n"
    "Examples:\n"
    "  raddle run vecadd.cu -- 1000000\n"
    "  raddle run vecadd.cu --check --lines\n"
    "  raddle run vecadd.cu -j 2 --sample 1000 --trace vecadd.perfetto\n"
    "  raddle run vecadd.cu -m ref --set multiprocessors=4 --json result.json\n"
    "  raddle run scale.ptx --kernel scale --grid 4 --block 256 \\\n"
    "         --arg buffer:f32:1024:iota --arg f32:2.5 --arg i32:1024 --show 0:8\n"
    "\n"
    "Arguments of a .ptx kernel, in order: TYPE:VALUE for numbers, buffer:TYPE:COUNT[:FILL] for "
    "memory,\n"
    "bytes:HEX for structures. TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; FILL is zero, iota, "
    "one,\n"
    "random:SEED or file:PATH.";

inline constexpr const char* kAsmFooter =
    "Of a .tpa file: its binary with -o FILE.tpo, else its text as the machine sees it. Of an .e "
    "file: the\n"
    ".tpa text that it is lowered to. What follows -- are values of the program's parameters.\n"
    "\n"
    "Examples:\n"
    "  raddle asm min.tpa -o min.tpo -- N=1024\n"
    "  raddle asm csort.e";

inline constexpr const char* kDisasmFooter =
    "Examples:\n"
    "  raddle disasm min.tpo -o min.tpa";

inline constexpr const char* kCompareFooter =
    "Examples:\n"
    "  raddle compare vecadd.cu -m ref,faster.toml     one program, a column for each machine\n"
    "  raddle compare vecadd matmul hotspot            several programs, a table for each\n"
    "  raddle compare vecadd matmul -m fermi,mt-cgra --brief     … or one table for all\n"
    "  raddle compare before.json after.json           results that are already there";

inline constexpr const char* kReportFooter =
    "RESULT is a file that raddle run wrote. The page needs no network and no other file.\n"
    "\n"
    "Examples:\n"
    "  raddle report raddle-out/vecadd-ref.json -o vecadd.html     one run\n"
    "  raddle report raddle-out/*.json -o all.html                 several, side by side";

inline constexpr const char* kMachinesFooter =
    "Examples:\n"
    "  raddle machines                                 what there is\n"
    "  raddle machines show ref                        its parameters with units and sources\n"
    "  raddle machines show ref > mine.toml            edit it, then: raddle run X.cu -m "
    "mine.toml\n"
    "  raddle machines check mine.toml                 does each value say where it comes from?\n"
    "\n"
    "A table may say base = \"fermi\" (or another .toml file) and only what differs.";

inline constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(raddle completion bash)                in this shell\n"
    "  raddle completion fish > ~/.config/fish/completions/raddle.fish";

inline constexpr const char* kManFooter =
    "Examples:\n"
    "  raddle man run | man -l -                       without an installed page\n"
    "  raddle man -o ~/.local/share/man/man1           all pages, for man raddle-run";

inline constexpr const char* kGraphFooter =
    "Examples:\n"
    "  raddle graph vecadd.cu                          the kernel IR of every kernel as text\n"
    "  raddle graph vecadd.cu --format dot | dot -Tsvg > vecadd.svg\n"
    "  raddle graph kernels.ptx --kernel scale\n"
    "  raddle graph blur.cg -- -entry main_fragment    the values of a shader\n"
    "  raddle graph vecadd.cu -m dmt-cgra --format svg > graph.svg\n"
    "  raddle graph vecadd.cu -m dmt-cgra --placed --block 256 --format svg > grid.svg";

inline constexpr const char* kReproduceFooter =
    "Runs what the claims of a paper need and prints each claim, the paper's value, the measured\n"
    "one, the error and a verdict; draws the paper's figures as SVG files into the output folder.\n"
    "Runs are kept like the cells of a sweep: started again, after a kill or an edit, the command\n"
    "runs only what is missing.\n"
    "\n"
    "Examples:\n"
    "  raddle reproduce                                the papers there are\n"
    "  raddle reproduce dmt-cgra                       all claims and figures of one\n"
    "  raddle reproduce dmt-cgra figure-5              one figure\n"
    "  raddle reproduce dmt-cgra --json                the document raddle.claims/1";

inline constexpr const char* kSweepFooter =
    "Runs every combination of machines, parameters, programs and arguments that SPEC.toml names;\n"
    "docs/sweeps.md describes the file. Each finished cell is kept by a hash of all that decides\n"
    "its result: started again, after a kill or an edit, a sweep runs only what is missing.\n"
    "\n"
    "Examples:\n"
    "  raddle sweep sizes.toml                         as many processes as cores\n"
    "  raddle sweep sizes.toml -j 1 -o sizes           one at a time, into a folder of its own";

inline constexpr const char* kResultsFooter =
    "Examples:\n"
    "  raddle results                                  the newest runs\n"
    "  raddle results --program matmul --last 5\n"
    "  raddle results show 12                          one in full\n"
    "  raddle results compare 11 12                    runs side by side\n"
    "  raddle results remove --program matmul          with their files\n"
    "  raddle results --csv runs.csv                   all of them for a spreadsheet";

}  // namespace raddle::cli
