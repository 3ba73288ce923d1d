// Compressible flow (Euler equations) on an unstructured mesh of tetrahedra, a thread for each cell
// of five variables and four neighbours: local time steps, three Runge-Kutta stages each. Stands
// for Rodinia's cfd of the gpu-sharing paper: compute_step_factor is CFD1, compute_flux CFD2 (bound
// by its registers), time_step CFD3, initialize_variables, launched once, CFD4.
// Usage: cfd [BOXES, along each edge, of six cells each] [STEPS] [SEED]
#include <cstdio>

#include "../common/benchmark.h"
#include "host_solver.h"
#include "mesh.h"

using namespace benchmark;

constexpr int kBlock = 192;

// The variables of a cell. In memory each of the five is an array of its own.
struct Flow {
  float density;
  float3 momentum;
  float energy;
};

// What crosses a face of each direction. Mass needs none: it flows as momentum.
struct Fluxes {
  float3 momentum_x, momentum_y, momentum_z, energy;
};

__constant__ float far_field[kVariables];

__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 sum_of(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ float3 scaled(float factor, float3 a) {
  return {factor * a.x, factor * a.y, factor * a.z};
}

__device__ Flow load(const float* state, int cell, int cells) {
  return {state[cell],
          {state[cell + cells], state[cell + 2 * cells], state[cell + 3 * cells]},
          state[cell + 4 * cells]};
}

__device__ float3 velocity_of(const Flow& flow) { return scaled(1 / flow.density, flow.momentum); }

__device__ float pressure_of(const Flow& flow, float speed_squared) {
  return (kGamma - 1) * (flow.energy - 0.5f * flow.density * speed_squared);
}

__device__ float sound_of(const Flow& flow, float pressure) {
  return sqrtf(kGamma * pressure / flow.density);
}

__device__ Fluxes fluxes_of(const Flow& flow, float3 velocity, float pressure) {
  Fluxes fluxes = {scaled(velocity.x, flow.momentum), scaled(velocity.y, flow.momentum),
                   scaled(velocity.z, flow.momentum), scaled(flow.energy + pressure, velocity)};
  fluxes.momentum_x.x += pressure;
  fluxes.momentum_y.y += pressure;
  fluxes.momentum_z.z += pressure;
  return fluxes;
}

// Half of the sum of what two cells send through the face between them, taken from the first.
__device__ void exchange(Flow& total, float3 normal, const Flow& a, const Fluxes& from_a,
                         const Flow& b, const Fluxes& from_b) {
  float3 half = scaled(-0.5f, normal);
  total.density += dot(half, sum_of(a.momentum, b.momentum));
  total.momentum.x += dot(half, sum_of(from_a.momentum_x, from_b.momentum_x));
  total.momentum.y += dot(half, sum_of(from_a.momentum_y, from_b.momentum_y));
  total.momentum.z += dot(half, sum_of(from_a.momentum_z, from_b.momentum_z));
  total.energy += dot(half, sum_of(from_a.energy, from_b.energy));
}

// The far field everywhere, a little denser here and thinner there.
__global__ void initialize_variables(const float* denser, float* state, int cells) {
  int cell = blockIdx.x * kBlock + threadIdx.x;
  if (cell >= cells) return;
  for (int v = 0; v < kVariables; ++v) state[cell + v * cells] = denser[cell] * far_field[v];
}

__global__ void compute_step_factor(const float* state, const float* surface, float* step_factor,
                                    int cells) {
  int cell = blockIdx.x * kBlock + threadIdx.x;
  if (cell >= cells) return;
  Flow flow = load(state, cell, cells);
  float3 velocity = velocity_of(flow);
  float speed_squared = dot(velocity, velocity);
  float sound = sound_of(flow, pressure_of(flow, speed_squared));
  step_factor[cell] = kCourant / (surface[cell] * (sqrtf(speed_squared) + sound));
}

__global__ void compute_flux(const int* neighbours, const float* normals, const float* state,
                             float* flux, int cells) {
  int cell = blockIdx.x * kBlock + threadIdx.x;
  if (cell >= cells) return;
  Flow here = load(state, cell, cells);
  float3 velocity = velocity_of(here);
  float speed_squared = dot(velocity, velocity);
  float pressure = pressure_of(here, speed_squared);
  float fastest = sqrtf(speed_squared) + sound_of(here, pressure);
  Fluxes from_here = fluxes_of(here, velocity, pressure);
  Flow total = {};
#pragma unroll
  for (int face = 0; face < kFaces; ++face) {
    const float* n = &normals[3 * face * cells + cell];
    float3 normal = {n[0], n[cells], n[2 * cells]};
    int other = neighbours[face * cells + cell];
    if (other == kWall) {  // nothing crosses it, but it is pressed on
      total.momentum = sum_of(total.momentum, scaled(-pressure, normal));
      continue;
    }
    Flow there = other == kFarField ? load(far_field, 0, 1) : load(state, other, cells);
    float3 velocity_there = velocity_of(there);
    float squared_there = dot(velocity_there, velocity_there);
    float pressure_there = pressure_of(there, squared_there);
    exchange(total, normal, here, from_here, there,
             fluxes_of(there, velocity_there, pressure_there));
    if (other == kFarField) continue;
    float smoothing = 0.5f * kSmoothing * sqrtf(dot(normal, normal)) *
                      (fastest + sqrtf(squared_there) + sound_of(there, pressure_there));
    total.density += smoothing * (there.density - here.density);
    total.energy += smoothing * (there.energy - here.energy);
    total.momentum = sum_of(total.momentum,
                            scaled(smoothing, sum_of(there.momentum, scaled(-1, here.momentum))));
  }
  flux[cell] = total.density;
  flux[cell + cells] = total.momentum.x;
  flux[cell + 2 * cells] = total.momentum.y;
  flux[cell + 3 * cells] = total.momentum.z;
  flux[cell + 4 * cells] = total.energy;
}

__global__ void time_step(int stage, const float* old, const float* step_factor, const float* flux,
                          float* state, int cells) {
  int cell = blockIdx.x * kBlock + threadIdx.x;
  if (cell >= cells) return;
  float factor = step_factor[cell] / static_cast<float>(kStages - stage);
  for (int i = cell; i < kVariables * cells; i += cells) state[i] = old[i] + factor * flux[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv, "cfd [BOXES] [STEPS] [SEED]");
  const int boxes = arguments.number("BOXES", 12, 1, 64);
  const int steps = arguments.number("STEPS", 2, 0, 2000);
  Random random(arguments.seed());
  arguments.end();
  const std::vector<Cell> mesh = MeshBuilder(boxes, random).take();
  const int cells = static_cast<int>(mesh.size());
  const std::vector<float> denser = random.floats(cells, 0.95f, 1.05f);
  // Unit pressure and unit speed of sound; the wind blows along x and slightly down on the floor.
  const float density = kGamma, speed_x = kMach * 0.995f, speed_z = kMach * -0.1f;
  const std::vector<float> far = {
      density, density * speed_x, 0, density * speed_z,
      1 / (kGamma - 1) + 0.5f * density * (speed_x * speed_x + speed_z * speed_z)};
  std::vector<int> neighbours(kFaces * cells);
  std::vector<float> normals(3 * kFaces * cells), surface(cells);
  for (int cell = 0; cell < cells; ++cell)
    for (int face = 0; face < kFaces; ++face) {
      const Point& normal = mesh[cell].normal[face];
      neighbours[face * cells + cell] = mesh[cell].neighbour[face];
      for (int k = 0; k < 3; ++k)
        normals[(3 * face + k) * cells + cell] = static_cast<float>(normal[k]);
      surface[cell] += static_cast<float>(std::hypot(normal[0], normal[1], normal[2]));
    }

  check(cudaMemcpyToSymbol(far_field, far.data(), sizeof far_field));
  DeviceArray<int> device_neighbours(neighbours);
  DeviceArray<float> device_normals(normals), device_surface(surface), device_denser(denser);
  DeviceArray<float> state(kVariables * cells), old(kVariables * cells), flux(kVariables * cells);
  DeviceArray<float> step_factor(cells);
  const int blocks = blocks_for(cells, kBlock);
  initialize_variables<<<blocks, kBlock>>>(device_denser, state, cells);
  check(cudaGetLastError());
  for (int step = 0; step < steps; ++step) {
    check(cudaMemcpy(old, state, kVariables * cells * sizeof(float), cudaMemcpyDeviceToDevice));
    compute_step_factor<<<blocks, kBlock>>>(state, device_surface, step_factor, cells);
    check(cudaGetLastError());
    for (int stage = 0; stage < kStages; ++stage) {
      compute_flux<<<blocks, kBlock>>>(device_neighbours, device_normals, state, flux, cells);
      check(cudaGetLastError());
      time_step<<<blocks, kBlock>>>(stage, old, step_factor, flux, state, cells);
      check(cudaGetLastError());
    }
  }

  const std::vector<double> expected = solve_on_host(mesh, surface, far, denser, steps);
  const std::vector<float> result = state.to_host();
  char what[80];
  std::snprintf(what, sizeof what, "cfd: %d cells, %d steps, density[0] = %.7g", cells, steps,
                result[0]);
  // No variable exceeds 4 by much. A step rounds some ten times, with random signs, and the
  // smoothing damps the errors of the steps before.
  const double tolerance = 4 * kFloatRounding * 10 * (1 + std::sqrt(steps));
  return report(what, compare(result, expected, tolerance));
}
