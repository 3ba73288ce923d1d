// The flow solver on the host, in double and face by face instead of cell by cell, against which
// the kernels are checked; and the constants of the scheme, which both share.
#ifndef RADDLE_BENCHMARKS_CUDA_CFD_HOST_SOLVER_H
#define RADDLE_BENCHMARKS_CUDA_CFD_HOST_SOLVER_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "mesh.h"

namespace benchmark {

constexpr int kVariables = 5;  // density, momentum (3), energy
constexpr int kStages = 3;
constexpr float kGamma = 1.4f;
constexpr float kSmoothing = 0.2f;  // strength of the dissipation that keeps the scheme stable
constexpr float kCourant = 0.5f;
constexpr float kMach = 1.2f;

using State = std::array<double, kVariables>;

struct HostFlow {
  Point velocity;
  double pressure, fastest;
  explicit HostFlow(const State& u) {
    double squared = 0;
    for (int k = 0; k < 3; ++k) {
      velocity[k] = u[1 + k] / u[0];
      squared += velocity[k] * velocity[k];
    }
    pressure = (double{kGamma} - 1) * (u[4] - u[0] * squared / 2);
    fastest = std::sqrt(squared) + std::sqrt(kGamma * pressure / u[0]);
  }
};

// What leaves through a face: all variables move with the flow, and pressure pushes.
inline State outflow(const State& u, const Point& normal) {
  const HostFlow flow(u);
  double through = 0;
  for (int k = 0; k < 3; ++k) through += flow.velocity[k] * normal[k];
  State out;
  for (int v = 0; v < kVariables; ++v) out[v] = u[v] * through;
  for (int k = 0; k < 3; ++k) out[1 + k] += flow.pressure * normal[k];
  out[4] += flow.pressure * through;
  return out;
}

inline std::vector<State> flux_on_host(const std::vector<Cell>& mesh,
                                       const std::vector<State>& state, const State& far) {
  std::vector<State> flux(mesh.size());
  for (int cell = 0; cell < static_cast<int>(mesh.size()); ++cell)
    for (int face = 0; face < kFaces; ++face) {
      const int other = mesh[cell].neighbour[face];
      if (other > cell) continue;  // that cell visits the face
      const Point& normal = mesh[cell].normal[face];
      const State &here = state[cell], &there = other >= 0 ? state[other] : far;
      const double area = std::hypot(normal[0], normal[1], normal[2]);
      const State out = outflow(here, normal), back = outflow(there, normal);
      for (int v = 0; v < kVariables; ++v) {
        double crossing = (out[v] + back[v]) / 2;
        if (other == kWall)
          crossing = v >= 1 && v <= 3 ? HostFlow(here).pressure * normal[v - 1] : 0;
        if (other >= 0)
          crossing -= kSmoothing / 2 * area * (HostFlow(here).fastest + HostFlow(there).fastest) *
                      (there[v] - here[v]);
        flux[cell][v] -= crossing;
        if (other >= 0) flux[other][v] += crossing;
      }
    }
  return flux;
}

inline void step_on_host(const std::vector<Cell>& mesh, const std::vector<float>& surface,
                         std::vector<State>& state, const State& far) {
  const std::vector<State> old = state;
  for (int stage = 0; stage < kStages; ++stage) {
    const std::vector<State> flux = flux_on_host(mesh, state, far);
    for (std::size_t cell = 0; cell < mesh.size(); ++cell)
      for (int v = 0; v < kVariables; ++v)
        state[cell][v] = old[cell][v] + kCourant / (surface[cell] * HostFlow(old[cell]).fastest) /
                                            (kStages - stage) * flux[cell][v];
  }
}

// The variables after so many steps, arranged as on the device.
inline std::vector<double> solve_on_host(const std::vector<Cell>& mesh,
                                         const std::vector<float>& surface,
                                         const std::vector<float>& far,
                                         const std::vector<float>& denser, int steps) {
  State host_far;
  std::copy(far.begin(), far.end(), host_far.begin());
  std::vector<State> state(mesh.size(), host_far);
  for (std::size_t cell = 0; cell < mesh.size(); ++cell)
    for (double& variable : state[cell]) variable *= denser[cell];
  for (int step = 0; step < steps; ++step) step_on_host(mesh, surface, state, host_far);
  std::vector<double> by_variable;
  for (int v = 0; v < kVariables; ++v)
    for (const State& variables : state) by_variable.push_back(variables[v]);
  return by_variable;
}

}  // namespace benchmark

#endif
