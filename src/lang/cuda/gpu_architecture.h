// Which GPU architecture a program is compiled for. The machines execute PTX, so this decides no
// more than
// __CUDA_ARCH__ and which instructions clang may choose; whatever a Makefile names is mapped to one
// that clang knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::cuda {

inline constexpr int kDefaultArchitecture = 70;

// "sm_20", "compute_75", "sm_90a", "lto_80" give the number, "native", "all" and "all-major" the
// default. Nothing if the text is not an architecture.
std::optional<int> architecture_number(std::string_view name);

// The newest architecture that clang knows and that is not above `wanted`; sm_35 for everything
// older.
int supported_architecture(int wanted);

// From several in one fat binary a driver takes the newest that the device can run; the simulated
// devices are of compute capability 7.0. Where all are newer, the oldest.
int preferred_architecture(const std::vector<int>& wanted);

// clang's name of the PTX version that the architecture needs: "ptx75" …
std::string ptx_feature(int architecture);

}  // namespace raddle::cuda
