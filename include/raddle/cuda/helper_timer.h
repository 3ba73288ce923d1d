// The stop watch of CUDA sample programs. It measures the host's own time, which for a simulated
// device says how long the simulation takes; events report simulated time.
#ifndef RADDLE_CUDA_HELPER_TIMER_H
#define RADDLE_CUDA_HELPER_TIMER_H

#include <stddef.h>
#include <time.h>

class StopWatchInterface {
 public:
  void start() {
    started_ = now();
    running_ = true;
  }
  void stop() {
    if (!running_) return;
    last_ = now() - started_;
    total_ += last_;
    ++sessions_;
    running_ = false;
  }
  void reset() {
    last_ = total_ = 0;
    sessions_ = 0;
    if (running_) started_ = now();
  }
  float getTime() { return (float)(running_ ? total_ + now() - started_ : total_); }
  float getAverageTime() { return sessions_ > 0 ? (float)(total_ / sessions_) : 0.0f; }

 private:
  static double now() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
  }

  double started_ = 0, last_ = 0, total_ = 0;  // milliseconds
  int sessions_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface();
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = NULL;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
  return *timer ? (*timer)->getTime() : 0.0f;
}
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer ? (*timer)->getAverageTime() : 0.0f;
}

#endif
