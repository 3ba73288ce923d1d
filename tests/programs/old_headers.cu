// Every header that old programs include, in one file; names that they expect from cuda_runtime.h without asking for them
// (time, strings, files, math); and the vocabulary of the samples: checkCudaErrors, float3 arithmetic, cuComplex.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_gl_interop.h>  // of a program that draws elsewhere
#include <cuda_occupancy.h>
#include <cuda_profiler_api.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <driver_types.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <host_defines.h>
#include <math_constants.h>
#include <math_functions.h>
#include <omp.h>  // without -fopenmp
#include <sm_11_atomic_functions.h>
#include <sm_20_atomic_functions.h>
#include <texture_types.h>
#include <vector_functions.h>
#include <vector_types.h>

// Programs ask by these names whether a header has been read.
#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || !defined(__DRIVER_TYPES_H__) ||   \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__) || !defined(__HOST_DEFINES_H__) ||   \
    !defined(__cuda_cuda_h__) || !defined(__CUDA_FP16_H__) || !defined(CU_COMPLEX_H_) ||                  \
    !defined(CUDART_VERSION) || !defined(CUDA_VERSION)
#error "the guard of a CUDA header is missing"
#endif

typedef unsigned int uint;

struct __align__(16) Particle {
    float3 position, velocity;
};

__global__ void move(Particle *particles, cuFloatComplex *phases, float dt, uint n)
{
    uint i = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    if (i >= n) return;
    Particle p = particles[i];
    p.position += p.velocity * dt;
    p.velocity = make_float3(0.0f) - p.velocity;
    particles[i] = p;
    phases[i] = cuCmulf(phases[i], make_cuFloatComplex(cosf(CUDART_PI_F / 2), sinf(CUDART_PI_F / 2)));
}

int main(int argc, char **argv)
{
    const uint n = 100;
    Particle *h_particles = (Particle *)malloc(n * sizeof(Particle)), *d_particles;
    cuFloatComplex *h_phases = (cuFloatComplex *)calloc(n, sizeof(cuFloatComplex)), *d_phases;
    time_t now = time(NULL);
    clock_t started = clock();
    srand(42);
    for (uint i = 0; i < n; i++) {
        h_particles[i].position = make_float3(i, i * 0.5f, rand() % 100);
        h_particles[i].velocity = make_float3(1, -2, i);
        h_phases[i] = make_cuFloatComplex(i, 1);
    }
    checkCudaErrors(cudaMalloc((void **)&d_particles, n * sizeof(Particle)));
    checkCudaErrors(cudaMalloc((void **)&d_phases, n * sizeof(cuFloatComplex)));
    checkCudaErrors(cudaMemcpy(d_particles, h_particles, n * sizeof(Particle), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_phases, h_phases, n * sizeof(cuFloatComplex), cudaMemcpyHostToDevice));
    cudaProfilerStart();
    move<<<(n + 31) / 32, 32>>>(d_particles, d_phases, 0.25f, n);
    cudaProfilerStop();
    getLastCudaError("move");
    Particle *back = (Particle *)malloc(n * sizeof(Particle));
    cuFloatComplex *back_phases = (cuFloatComplex *)malloc(n * sizeof(cuFloatComplex));
    checkCudaErrors(cudaMemcpy(back, d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(back_phases, d_phases, n * sizeof(cuFloatComplex), cudaMemcpyDeviceToHost));
    for (uint i = 0; i < n; i++) {
        float3 p = h_particles[i].position, v = h_particles[i].velocity;
        bool moved = back[i].position.x == p.x + v.x * 0.25f && back[i].position.y == p.y + v.y * 0.25f &&
                     back[i].position.z == p.z + v.z * 0.25f && back[i].velocity.z == -v.z;
        bool turned = fabsf(cuCrealf(back_phases[i]) + 1) < 1e-4f && fabsf(cuCimagf(back_phases[i]) - i) < 1e-4f;
        if (!moved || !turned) {
            fprintf(stderr, "particle %u is wrong\n", i);
            exit(EXIT_FAILURE);
        }
    }
    if (now == (time_t)-1 || started == (clock_t)-1 || strlen("abc") != 3 || sizeof(Particle) != 32) return 1;
    printf("ok\n");
    return 0;
}
