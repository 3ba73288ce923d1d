// The plainest of old programs: C with malloc, cudaThreadSynchronize, cudaGetLastError after the launch, cudaThreadExit.
#include <stdio.h>
#include <stdlib.h>
#include <cuda.h>

#define N 1000
#define BLOCK_SIZE 128

__global__ void vec_add(float *a, float *b, float *c, int n)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n)
        c[tid] = a[tid] + b[tid];
}

void checkCUDAError(const char *msg)
{
    cudaError_t err = cudaGetLastError();
    if (cudaSuccess != err) {
        fprintf(stderr, "Cuda error: %s: %s.\n", msg, cudaGetErrorString(err));
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    float *h_a, *h_b, *h_c, *d_a, *d_b, *d_c;
    size_t size = N * sizeof(float);
    int i;

    h_a = (float *)malloc(size);
    h_b = (float *)malloc(size);
    h_c = (float *)malloc(size);
    for (i = 0; i < N; i++) {
        h_a[i] = i * 0.5f;
        h_b[i] = 1000.0f - i;
    }

    cudaMalloc((void **)&d_a, size);
    cudaMalloc((void **)&d_b, size);
    cudaMalloc((void **)&d_c, 2 * size);
    cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, h_b, size, cudaMemcpyHostToDevice);
    cudaMemset(d_c, 0x41, 2 * size);
    checkCUDAError("memory");

    dim3 grid((N + BLOCK_SIZE - 1) / BLOCK_SIZE, 1);
    dim3 threads(BLOCK_SIZE, 1, 1);
    vec_add<<<grid, threads>>>(d_a, d_b, d_c, N);
    cudaThreadSynchronize();
    if (cudaPeekAtLastError() != cudaSuccess) {
        fprintf(stderr, "peek\n");
        return 1;
    }
    checkCUDAError("kernel invocation");

    /* what the kernel did not write is still what cudaMemset left */
    unsigned char *tail = (unsigned char *)malloc(size);
    cudaMemcpy(h_c, d_c, size, cudaMemcpyDeviceToHost);
    cudaMemcpy(tail, (char *)d_c + size, size, cudaMemcpyDeviceToHost);
    cudaMemcpy(d_a, d_c, size, cudaMemcpyDeviceToDevice);
    for (i = 0; i < N; i++) {
        if (h_c[i] != h_a[i] + h_b[i]) {
            fprintf(stderr, "wrong at %d: %f\n", i, h_c[i]);
            return 1;
        }
    }
    for (i = 0; i < (int)size; i++) {
        if (tail[i] != 0x41) {
            fprintf(stderr, "tail byte %d is %d\n", i, tail[i]);
            return 1;
        }
    }
    cudaMemcpy(h_b, d_a, size, cudaMemcpyDeviceToHost);
    if (memcmp(h_b, h_c, size) != 0) {
        fprintf(stderr, "the copy on the device differs\n");
        return 1;
    }

    free(h_a);
    free(h_b);
    free(h_c);
    free(tail);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    checkCUDAError("free");
    cudaThreadExit();
    cudaDeviceReset();
    printf("ok\n");
    return 0;
}
