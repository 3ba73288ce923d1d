// Channels where a compiler unrolled the loop around their calls. What a thread tags the n-th time
// is received the n-th time; once the loop is unrolled, every time has instructions of its own, and
// they become a channel of their own, so that each tag has its receives and nobody needs to count.
#pragma once

#include "kernel/module.h"

namespace raddle::kernel {

// Gives instances of a channel numbers of their own, under the same name, where instructions of one
// place in the source follow each other in straight order: every tag and every receive equally
// often. Elsewhere the channel stays as it is. Then numbers receives from memory, a channel each,
// after the channels that have names.
void separate_channel_instances(Function& function);

}  // namespace raddle::kernel
