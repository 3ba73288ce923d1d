// Inter-thread operations in PTX are calls of extern functions whose names begin with __raddle_it_:
//   __raddle_it_tag_T(value, u32 channel)
//   __raddle_it_recv_const_T(value, u32 channel, s32 dx, s32 dy, s32 dz, u32 window)
//   __raddle_it_recv_load_T(u64 address, u32 predicate, u32 channel, s32 dx, s32 dy, s32 dz, u32
//   window)
// T is f32, f64, or s32, u32, b32, s64, u64, b64. The call sequence (st.param, call, ld.param)
// becomes one instruction.
#pragma once

#include "lang/ptx/function_builder.h"

namespace raddle::ptx {

// Labels keep their places. Throws Error where a channel, distance or window is not a constant.
void convert_inter_thread_calls(Context& context, kernel::Function& function, LinearCode& code);

}  // namespace raddle::ptx
