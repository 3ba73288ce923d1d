// What there is of cuFFT's extended interface: plans of 64-bit sizes, execution by data types,
// callbacks, and descriptors of memory on one device. Several devices and shared memory of
// callbacks are refused by name when they are asked for.
#ifndef RADDLE_CUFFTXT_H
#define RADDLE_CUFFTXT_H
#define _CUFFTXT_H_  // programs test for it

#include "cudalibxt.h"
#include "cufft.h"

typedef enum cufftXtSubFormat_t {
  CUFFT_XT_FORMAT_INPUT = 0x00,
  CUFFT_XT_FORMAT_OUTPUT = 0x01,
  CUFFT_XT_FORMAT_INPLACE = 0x02,
  CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 0x03,
  CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 0x04
} cufftXtSubFormat;
typedef enum cufftXtCopyType_t {
  CUFFT_COPY_HOST_TO_DEVICE = 0x00,
  CUFFT_COPY_DEVICE_TO_HOST = 0x01,
  CUFFT_COPY_DEVICE_TO_DEVICE = 0x02
} cufftXtCopyType;
typedef enum cufftXtCallbackType_t {
  CUFFT_CB_LD_COMPLEX = 0x0,
  CUFFT_CB_LD_COMPLEX_DOUBLE = 0x1,
  CUFFT_CB_LD_REAL = 0x2,
  CUFFT_CB_LD_REAL_DOUBLE = 0x3,
  CUFFT_CB_ST_COMPLEX = 0x4,
  CUFFT_CB_ST_COMPLEX_DOUBLE = 0x5,
  CUFFT_CB_ST_REAL = 0x6,
  CUFFT_CB_ST_REAL_DOUBLE = 0x7,
  CUFFT_CB_UNDEFINED = 0x8
} cufftXtCallbackType;
typedef cufftComplex (*cufftCallbackLoadC)(void* in, size_t offset, void* info, void* shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void* in, size_t offset, void* info, void* shared);
typedef cufftReal (*cufftCallbackLoadR)(void* in, size_t offset, void* info, void* shared);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void* in, size_t offset, void* info, void* shared);
typedef void (*cufftCallbackStoreC)(void* out, size_t offset, cufftComplex element, void* info,
                                    void* shared);
typedef void (*cufftCallbackStoreZ)(void* out, size_t offset, cufftDoubleComplex element,
                                    void* info, void* shared);
typedef void (*cufftCallbackStoreR)(void* out, size_t offset, cufftReal element, void* info,
                                    void* shared);
typedef void (*cufftCallbackStoreD)(void* out, size_t offset, cufftDoubleReal element, void* info,
                                    void* shared);

#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType input_type, long long int* onembed,
                                long long int ostride, long long int odist,
                                cudaDataType output_type, long long int batch, size_t* bytes,
                                cudaDataType execution_type);
cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction);
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int* devices);
cufftResult cufftXtSetCallback(cufftHandle plan, void** callbacks, cufftXtCallbackType type,
                               void** infos);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType type, size_t bytes);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc** descriptor, cufftXtSubFormat format);
cufftResult cufftXtMemcpy(cufftHandle plan, void* to, void* from, cufftXtCopyType type);
cufftResult cufftXtFree(cudaLibXtDesc* descriptor);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out,
                                     int direction);

#ifdef __cplusplus
}
#endif

#endif
