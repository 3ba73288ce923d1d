// A program of the CUTIL years: its macros and timers, kernel<< < >> >, narrowing in initialisers, __mul24, 2-D ids, tiles
// in shared memory padded against bank conflicts, and literals glued to macros.
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <cutil.h>

#define BLOCK_DIM 16
#define WIDTH 80
#define HEIGHT 48
#define UNIT "ms"

__global__ void transpose(float *odata, float *idata, int width, int height)
{
    __shared__ float block[BLOCK_DIM][BLOCK_DIM + 1];

    unsigned int xIndex = __umul24(blockIdx.x, BLOCK_DIM) + threadIdx.x;
    unsigned int yIndex = __umul24(blockIdx.y, BLOCK_DIM) + threadIdx.y;
    if ((xIndex < width) && (yIndex < height)) {
        unsigned int index_in = yIndex * width + xIndex;
        block[threadIdx.y][threadIdx.x] = idata[index_in];
    }
    __syncthreads();

    xIndex = __mul24(blockIdx.y, BLOCK_DIM) + threadIdx.x;
    yIndex = __mul24(blockIdx.x, BLOCK_DIM) + threadIdx.y;
    if ((xIndex < height) && (yIndex < width)) {
        unsigned int index_out = yIndex * height + xIndex;
        odata[index_out] = block[threadIdx.x][threadIdx.y];
    }
}

int main(int argc, char** argv)
{
    CUT_DEVICE_INIT(argc, argv);

    const unsigned int mem_size = sizeof(float) * WIDTH * HEIGHT;
    double scale = 1.5;
    int shape[2] = { WIDTH + 0.0, HEIGHT * 1.0 };   // narrowing, which nvcc lets pass
    float factors[1] = { scale };
    unsigned int timer = 0;
    CUT_SAFE_CALL(cutCreateTimer(&timer));

    float* h_idata = (float*) malloc(mem_size);
    for (unsigned int i = 0; i < WIDTH * HEIGHT; ++i)
        h_idata[i] = (float) i * factors[0];

    float* d_idata;
    float* d_odata;
    CUDA_SAFE_CALL( cudaMalloc( (void**) &d_idata, mem_size));
    CUDA_SAFE_CALL( cudaMalloc( (void**) &d_odata, mem_size));
    CUDA_SAFE_CALL( cudaMemcpy( d_idata, h_idata, mem_size, cudaMemcpyHostToDevice) );

    dim3 grid(shape[0] / BLOCK_DIM, shape[1] / BLOCK_DIM, 1);
    dim3 threads(BLOCK_DIM, BLOCK_DIM, 1);

    cutStartTimer(timer);
    transpose<< < grid, threads >> >(d_odata, d_idata, WIDTH, HEIGHT);
    cudaThreadSynchronize();
    cutStopTimer(timer);
    CUT_CHECK_ERROR("Kernel execution failed");
    if (!(cutGetTimerValue(timer) >= 0)) return 1;
    printf("transpose took some "UNIT"\n");

    float* h_odata = (float*) malloc(mem_size);
    CUDA_SAFE_CALL( cudaMemcpy( h_odata, d_odata, mem_size, cudaMemcpyDeviceToHost) );

    float* reference = (float*) malloc(mem_size);
    for (unsigned int y = 0; y < HEIGHT; ++y)
        for (unsigned int x = 0; x < WIDTH; ++x)
            reference[(x * HEIGHT) + y] = h_idata[(y * WIDTH) + x];

    CUTBoolean res = cutComparef(reference, h_odata, WIDTH * HEIGHT);
    if (1 != res) {
        for (int i = 0; i < WIDTH * HEIGHT; ++i)
            if (reference[i] != h_odata[i]) {
                printf("FAILED at %d: %f, expected %f\n", i, h_odata[i], reference[i]);
                break;
            }
        exit(EXIT_FAILURE);
    }

    free(h_idata);
    free(h_odata);
    free(reference);
    CUDA_SAFE_CALL(cudaFree(d_idata));
    CUDA_SAFE_CALL(cudaFree(d_odata));
    CUT_SAFE_CALL(cutDeleteTimer(timer));

    printf("ok\n");
    CUT_EXIT(argc, argv);
}
