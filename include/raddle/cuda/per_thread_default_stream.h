// Where a program is compiled for a default stream of each host thread (raddle cc --default-stream
// per-thread, or this macro before the first header), functions that put work into a stream take 0
// for that stream. The names are CUDA's. What else takes a stream does the same for both: it waits
// for all that was given to the device before.
#ifndef RADDLE_PER_THREAD_DEFAULT_STREAM_H
#define RADDLE_PER_THREAD_DEFAULT_STREAM_H

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaLaunchKernel cudaLaunchKernel_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaConfigureCall cudaConfigureCall_ptsz
#define cudaEventRecord cudaEventRecord_ptsz
#define cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz
#define cudaStreamWaitEvent cudaStreamWaitEvent_ptsz
#define cuLaunchKernel cuLaunchKernel_ptsz
#define cuLaunchCooperativeKernel cuLaunchCooperativeKernel_ptsz
#define cuLaunchGridAsync cuLaunchGridAsync_ptsz
#define cuEventRecord cuEventRecord_ptsz
#define cuEventRecordWithFlags cuEventRecordWithFlags_ptsz
#define cuStreamWaitEvent cuStreamWaitEvent_ptsz
#endif

#endif
