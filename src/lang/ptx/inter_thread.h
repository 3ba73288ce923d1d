// Inter-thread operations in PTX are calls of extern functions whose names begin with __raddle_it_:
//   __raddle_it_tag_T(value, u64 name0, u64 name1, u64 name2, u64 name3)
//   __raddle_it_recv_const_T(value, s32 dx, s32 dy, s32 dz, u32 window, u64 name0 … name3)
//   __raddle_it_recv_load_T(u64 address, u32 predicate, s32 dx, s32 dy, s32 dz, u32 window)
// T is f32, f64, or s32, u32, b32, s64, u64, b64. The words of a name hold eight characters each,
// the first one lowest. The call sequence (st.param, call, ld.param) becomes one instruction.
// include/raddle/dmt.h makes such calls.
#pragma once

#include "lang/ptx/function_builder.h"

namespace raddle::ptx {

// Labels keep their places. Channels are numbered in the order in which their names appear;
// receives from memory are not numbered yet (kernel/analysis/channel_instances.h). Throws Error
// where a name, distance or window is not a constant.
void convert_inter_thread_calls(Context& context, kernel::Function& function, LinearCode& code);

}  // namespace raddle::ptx
