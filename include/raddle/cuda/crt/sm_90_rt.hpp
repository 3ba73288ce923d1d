// Read by clang's intrinsics header; what belongs here is in device/warp_functions.h.
