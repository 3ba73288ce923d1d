// Loads, stores, asynchronous copies and atomics: what they move, what they refuse, what they
// report.
#include <bit>

#include "lane_check.h"
#include "warp_fixture.h"

namespace raddle::kernel::exec {
namespace {

class MemoryLanes : public WarpFixture {
 protected:
  Instruction load_of(Type type, Space space) {
    return instruction_of(Opcode::kLd, type, [=](Instruction& i) { i.space = space; });
  }
  Instruction store_of(Type type, Space space) {
    return instruction_of(Opcode::kSt, type, [=](Instruction& i) { i.space = space; });
  }
  void address(int slot, std::uint64_t start, std::int64_t stride) {
    for (int i = 0; i < kLanes; ++i)
      lanes<std::uint64_t>(slot)[i] = start + static_cast<std::uint64_t>(i * stride);
  }
  void fill_buffer() {
    for (int i = 0; i < 1024; ++i)
      device<std::uint32_t>(buffer_)[i] = 0x9e3779b9u * static_cast<std::uint32_t>(i + 1);
  }
};

TEST_F(MemoryLanes, ContiguousStridedAndBroadcastLoadsReadTheirPlaces) {
  fill_buffer();
  for (const std::int64_t stride : {4, -4, 8, 20, 0}) {
    const std::uint64_t start = buffer_ + 1024;
    address(0, start, stride);
    Instruction load = load_of(Type::kU32, Space::kGlobal);
    run(load, {.destinations = {1}, .sources = {0}, .offset = 16});
    for (int i = 0; i < kLanes; ++i) {
      EXPECT_EQ(lanes<std::uint32_t>(1)[i],
                *device<std::uint32_t>(start + 16 + static_cast<std::uint64_t>(i * stride)))
          << stride;
    }
    EXPECT_EQ(warp_.access().linear, stride == 4);
    EXPECT_EQ(warp_.access().space, Space::kGlobal);
    EXPECT_EQ(warp_.access().bytes, 4u);
    EXPECT_EQ(warp_.access().address[3], start + 16 + static_cast<std::uint64_t>(3 * stride));
    EXPECT_TRUE(warp_.faults.empty());
  }
}

TEST_F(MemoryLanes, PartialMasksTouchNothingElse) {
  fill_buffer();
  address(0, buffer_, 4);
  const LaneMask mask = 0x80f00001u;
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = 7;
  Instruction load = load_of(Type::kU32, Space::kGlobal);
  run(load, {.destinations = {1}, .sources = {0}}, mask);
  for (int i = 0; i < kLanes; ++i) {
    EXPECT_EQ(lanes<std::uint32_t>(1)[i],
              (mask >> i & 1) != 0 ? device<std::uint32_t>(buffer_)[i] : 7u);
  }
  for (int i = 0; i < kLanes; ++i)
    lanes<std::uint32_t>(2)[i] = static_cast<std::uint32_t>(1000 + i);
  Instruction store = store_of(Type::kU32, Space::kGlobal);
  run(store, {.destinations = {}, .sources = {0, 2}}, mask);
  for (int i = 0; i < kLanes; ++i) {
    const std::uint32_t before = 0x9e3779b9u * static_cast<std::uint32_t>(i + 1);
    EXPECT_EQ(device<std::uint32_t>(buffer_)[i],
              (mask >> i & 1) != 0 ? static_cast<std::uint32_t>(1000 + i) : before);
  }
}

TEST_F(MemoryLanes, NarrowLoadsExtendByTheSignOfTheirType) {
  for (int i = 0; i < 256; ++i)
    device<std::uint8_t>(buffer_)[i] = static_cast<std::uint8_t>(i * 37 + 120);
  struct Row {
    Type type;
    int bytes;
    bool sign;
  };
  for (const Row& row :
       {Row{Type::kU8, 1, false}, Row{Type::kS8, 1, true}, Row{Type::kU16, 2, false},
        Row{Type::kS16, 2, true}, Row{Type::kS32, 4, true}, Row{Type::kU32, 4, false}}) {
    for (const int register_bytes : {2, 4, 8}) {
      if (register_bytes < row.bytes) continue;
      for (const int stride : {row.bytes, 2 * row.bytes}) {
        address(0, buffer_, stride);
        Instruction load = load_of(row.type, Space::kGlobal);
        run(load, {.destinations = {1}, .sources = {0}, .register_bytes = register_bytes});
        for (int i = 0; i < kLanes; ++i) {
          std::uint64_t expected = 0;
          std::memcpy(&expected, memory_.view(buffer_) + i * stride,
                      static_cast<std::size_t>(row.bytes));
          if (row.sign) expected = static_cast<std::uint64_t>(sign_extended(expected, row.bytes));
          std::uint64_t found = 0;
          std::memcpy(&found, lanes<std::byte>(1) + i * register_bytes,
                      static_cast<std::size_t>(register_bytes));
          EXPECT_EQ(found, truncated(expected, register_bytes))
              << name_of(row.type) << " into " << register_bytes;
        }
      }
    }
  }
}

TEST_F(MemoryLanes, NarrowStoresWriteTheLowBytesOfARegister) {
  for (const int stride : {1, 3}) {
    std::memset(memory_.view(buffer_), 0xee, 128);
    address(0, buffer_, stride);
    for (int i = 0; i < kLanes; ++i)
      lanes<std::uint16_t>(1)[i] = static_cast<std::uint16_t>(0xab00 + i);
    Instruction store = store_of(Type::kU8, Space::kGlobal);
    run(store, {.destinations = {}, .sources = {0, 1}, .register_bytes = 2});
    for (int i = 0; i < kLanes * stride; ++i) {
      EXPECT_EQ(device<std::uint8_t>(buffer_)[i], i % stride == 0 ? i / stride : 0xee);
    }
  }
}

TEST_F(MemoryLanes, VectorsMoveElementByElementAndMayDropOne) {
  fill_buffer();
  for (const std::int64_t stride : {16, 48}) {
    address(0, buffer_, stride);
    for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(3)[i] = 5;
    Instruction load = load_of(Type::kF32, Space::kGlobal);
    run(load, {.destinations = {1, 2, -1, 4}, .sources = {0}});
    for (int i = 0; i < kLanes; ++i) {
      const std::uint32_t* place =
          device<std::uint32_t>(buffer_ + static_cast<std::uint64_t>(i * stride));
      EXPECT_EQ(lanes<std::uint32_t>(1)[i], place[0]);
      EXPECT_EQ(lanes<std::uint32_t>(2)[i], place[1]);
      EXPECT_EQ(lanes<std::uint32_t>(3)[i], 5u);
      EXPECT_EQ(lanes<std::uint32_t>(4)[i], place[3]);
    }
    EXPECT_EQ(warp_.access().bytes, 16u);
    Instruction store = store_of(Type::kU32, Space::kGlobal);
    address(0, buffer_ + 2048, 8);
    run(store, {.destinations = {}, .sources = {0, 4, 1}});
    for (int i = 0; i < kLanes; ++i) {
      EXPECT_EQ(device<std::uint32_t>(buffer_ + 2048)[2 * i], lanes<std::uint32_t>(4)[i]);
      EXPECT_EQ(device<std::uint32_t>(buffer_ + 2048)[2 * i + 1], lanes<std::uint32_t>(1)[i]);
    }
  }
}

TEST_F(MemoryLanes, TheHighestLaneWinsWhereTwoWriteTheSamePlace) {
  address(0, buffer_, 0);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = static_cast<std::uint32_t>(i);
  Instruction store = store_of(Type::kU32, Space::kGlobal);
  run(store, {.destinations = {}, .sources = {0, 1}});
  EXPECT_EQ(*device<std::uint32_t>(buffer_), 31u);
  run(store, {.destinations = {}, .sources = {0, 1}}, 0x0000ffffu);
  EXPECT_EQ(*device<std::uint32_t>(buffer_), 15u);
}

TEST_F(MemoryLanes, AddressesThatBelongToNothingAreFatalAndReadZero) {
  fill_buffer();
  address(0, buffer_, 4);
  lanes<std::uint64_t>(0)[5] = 0;
  lanes<std::uint64_t>(0)[9] = kGlobalBase + memory_.arena_bytes() - 2;
  lanes<std::uint64_t>(0)[11] = ~std::uint64_t{0} - 3;
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = 7;
  Instruction load = load_of(Type::kU32, Space::kGlobal);
  run(load, {.destinations = {1}, .sources = {0}});
  ASSERT_EQ(warp_.faults.size(), 3u);
  bool misaligned = false;
  for (const AccessFault& fault : warp_.faults) {
    EXPECT_TRUE(fault.fatal);
    EXPECT_FALSE(fault.store);
    EXPECT_EQ(fault.bytes, 4u);
    EXPECT_EQ(fault.address, lanes<std::uint64_t>(0)[fault.lane]);
    misaligned |= fault.kind == AccessFault::Kind::kMisaligned && fault.lane == 9;
  }
  EXPECT_TRUE(misaligned);
  for (int i = 0; i < kLanes; ++i) {
    const bool bad = i == 5 || i == 9 || i == 11;
    EXPECT_EQ(lanes<std::uint32_t>(1)[i], bad ? 0u : device<std::uint32_t>(buffer_)[i]);
  }
}

TEST_F(MemoryLanes, CheckedModeKnowsWhereAllocationsEndAndWhatWasFreed) {
  device_.check = true;
  memory_.keep_released(true);
  const std::uint64_t small = *memory_.allocate(64);
  const std::uint64_t gone = *memory_.allocate(128);
  memory_.release(gone);
  address(0, small, 4);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = 9;
  Instruction store = store_of(Type::kU32, Space::kGlobal);
  run(store, {.destinations = {}, .sources = {0, 1}});
  EXPECT_EQ(warp_.faults.size(), 16u);
  EXPECT_EQ(warp_.faults[0].kind, AccessFault::Kind::kOutOfBounds);
  EXPECT_EQ(warp_.faults[0].lane, 16);
  EXPECT_TRUE(warp_.faults[0].store);
  EXPECT_FALSE(warp_.faults[0].fatal);
  EXPECT_EQ(*device<std::uint32_t>(small + 60), 9u);
  EXPECT_EQ(*device<std::uint32_t>(small + 64), 0u) << "a refused store must not write";
  address(0, gone, 4);
  Instruction load = load_of(Type::kU32, Space::kGlobal);
  run(load, {.destinations = {1}, .sources = {0}}, 1);
  ASSERT_EQ(warp_.faults.size(), 1u);
  EXPECT_EQ(warp_.faults[0].kind, AccessFault::Kind::kUseAfterFree);
}

TEST_F(MemoryLanes, MisalignedAccessesAreRefused) {
  fill_buffer();
  address(0, buffer_, 4);
  lanes<std::uint64_t>(0)[2] += 2;
  Instruction load = load_of(Type::kU32, Space::kGlobal);
  run(load, {.destinations = {1}, .sources = {0}});
  ASSERT_EQ(warp_.faults.size(), 1u);
  EXPECT_EQ(warp_.faults[0].kind, AccessFault::Kind::kMisaligned);
  EXPECT_TRUE(warp_.faults[0].fatal);
  EXPECT_EQ(lanes<std::uint32_t>(1)[2], 0u);
  EXPECT_EQ(lanes<std::uint32_t>(1)[3], device<std::uint32_t>(buffer_)[3]);
}

TEST_F(MemoryLanes, SharedMemoryEndsWhereItEnds) {
  address(0, 1024 - 64, 4);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = static_cast<std::uint32_t>(i + 1);
  Instruction store = store_of(Type::kU32, Space::kShared);
  run(store, {.destinations = {}, .sources = {0, 1}});
  EXPECT_EQ(warp_.faults.size(), 16u);
  for (const AccessFault& fault : warp_.faults) EXPECT_EQ(fault.space, Space::kShared);
  std::uint32_t last = 0;
  std::memcpy(&last, shared_.data() + 1020, 4);
  EXPECT_EQ(last, 16u);
  // With 32-bit registers as addresses, too.
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(2)[i] = static_cast<std::uint32_t>(4 * i);
  run(store, {.destinations = {}, .sources = {2, 1}, .address_bytes = 4, .offset = 8});
  EXPECT_TRUE(warp_.faults.empty());
  std::memcpy(&last, shared_.data() + 8 + 4 * 31, 4);
  EXPECT_EQ(last, 32u);
}

TEST_F(MemoryLanes, GenericAddressesMayPointToDifferentSpacesInOneWarp) {
  fill_buffer();
  ASSERT_TRUE(warp_.grow_local(64));
  for (int i = 0; i < kLanes; ++i) {
    const auto shared_value = static_cast<std::uint32_t>(5000 + i);
    std::memcpy(shared_.data() + 4 * i, &shared_value, 4);
    const auto local_value = static_cast<std::uint32_t>(9000 + i);
    std::memcpy(warp_.resolve(Space::kLocal, 16, 4, i), &local_value, 4);
    const auto lane = static_cast<std::uint64_t>(i);
    lanes<std::uint64_t>(0)[i] = i % 3 == 0   ? buffer_ + 4 * lane
                                 : i % 3 == 1 ? kSharedWindow + 4 * lane
                                              : kLocalWindow + 16;
  }
  Instruction load = load_of(Type::kU32, Space::kGeneric);
  run(load, {.destinations = {1}, .sources = {0}});
  EXPECT_TRUE(warp_.faults.empty());
  EXPECT_EQ(warp_.access().space, Space::kGeneric);
  for (int i = 0; i < kLanes; ++i) {
    const auto lane = static_cast<std::uint32_t>(i);
    EXPECT_EQ(lanes<std::uint32_t>(1)[i], i % 3 == 0   ? device<std::uint32_t>(buffer_)[i]
                                          : i % 3 == 1 ? 5000 + lane
                                                       : 9000 + lane);
  }
  // All lanes in one space: it is named, and addresses are those within it.
  address(0, kSharedWindow + 8, 4);
  run(load, {.destinations = {1}, .sources = {0}});
  EXPECT_EQ(warp_.access().space, Space::kShared);
  EXPECT_EQ(warp_.access().address[0], 8u);
  EXPECT_EQ(lanes<std::uint32_t>(1)[0], 5002u);
}

TEST_F(MemoryLanes, LocalMemoryIsEachLanesOwn) {
  ASSERT_TRUE(warp_.grow_local(128));
  EXPECT_FALSE(warp_.grow_local(4097)) << "beyond the stack limit";
  address(0, 32, 0);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint64_t>(1)[i] = static_cast<std::uint64_t>(i) << 40;
  Instruction store = store_of(Type::kU64, Space::kLocal);
  run(store, {.destinations = {}, .sources = {0, 1}, .register_bytes = 8});
  ASSERT_TRUE(warp_.grow_local(2048)) << "growing keeps what is there";
  Instruction load = load_of(Type::kU64, Space::kLocal);
  run(load, {.destinations = {2}, .sources = {0}, .register_bytes = 8});
  for (int i = 0; i < kLanes; ++i)
    EXPECT_EQ(lanes<std::uint64_t>(2)[i], static_cast<std::uint64_t>(i) << 40);
}

TEST_F(MemoryLanes, AsynchronousCopiesMoveBytesAndFillTheRestWithZeros) {
  fill_buffer();
  Instruction copy = instruction_of(Opcode::kCpAsync, Type::kNone,
                                    [](Instruction& i) { i.space = Space::kShared; });
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint64_t>(0)[i] = static_cast<std::uint64_t>(16 * i);
    lanes<std::uint64_t>(1)[i] = buffer_ + static_cast<std::uint64_t>(32 * i);
    lanes<std::uint32_t>(2)[i] = 16;
    lanes<std::uint32_t>(3)[i] = static_cast<std::uint32_t>(i % 17);
  }
  std::memset(shared_.data(), 0xee, shared_.size());
  run(copy, {.destinations = {}, .sources = {0, 1, 2}, .offset = 256});
  EXPECT_TRUE(warp_.faults.empty());
  EXPECT_EQ(std::memcmp(shared_.data() + 256 + 16 * 7, memory_.view(buffer_ + 32 * 7), 16), 0);
  EXPECT_EQ(shared_[255], std::byte{0xee});
  EXPECT_EQ(warp_.access().bytes, 16u);
  run(copy, {.destinations = {}, .sources = {0, 1, 2, 3}, .offset = 256});
  for (std::size_t i = 0; i < kLanes; ++i) {
    for (std::size_t b = 0; b < 16; ++b) {
      EXPECT_EQ(shared_[256 + 16 * i + b],
                b < i % 17 ? *memory_.view(buffer_ + 32 * i + b) : std::byte{0});
    }
  }
}

class AtomicLanes : public MemoryLanes {
 protected:
  // All lanes on one word, with the value 3 * lane + 1; returns what memory holds afterwards.
  template <class T>
  T reduce(AtomicOp op, Type type, T initial) {
    *device<T>(buffer_) = initial;
    address(0, buffer_, 0);
    for (int i = 0; i < kLanes; ++i) lanes<T>(1)[i] = static_cast<T>(3 * i + 1);
    Instruction atom = instruction_of(Opcode::kAtom, type, [=](Instruction& i) {
      i.space = Space::kGlobal;
      i.atomic = op;
    });
    run(atom, {.destinations = {2}, .sources = {0, 1}, .register_bytes = sizeof(T)});
    return *device<T>(buffer_);
  }
  template <class T, class F>
  void check(AtomicOp op, Type type, T initial, F step) {
    T expected = initial;
    std::vector<T> old;
    for (int i = 0; i < kLanes; ++i) {
      old.push_back(expected);
      expected = step(expected, static_cast<T>(3 * i + 1));
    }
    EXPECT_EQ(reduce<T>(op, type, initial), expected) << name_of(op) << "." << name_of(type);
    for (int i = 0; i < kLanes; ++i) EXPECT_EQ(lanes<T>(2)[i], old[static_cast<std::size_t>(i)]);
  }
};

TEST_F(AtomicLanes, EveryOperationFoldsTheLanesInOrderAndReturnsTheOldValue) {
  using U32 = std::uint32_t;
  using S32 = std::int32_t;
  using U64 = std::uint64_t;
  using S64 = std::int64_t;
  check<U32>(AtomicOp::kAdd, Type::kU32, 0xfffffff0u, [](U32 a, U32 b) { return a + b; });
  check<U64>(AtomicOp::kAdd, Type::kU64, ~U64{0} - 5, [](U64 a, U64 b) { return a + b; });
  check<S32>(AtomicOp::kMin, Type::kS32, 50, [](S32 a, S32 b) { return std::min(a, b); });
  check<S32>(AtomicOp::kMin, Type::kS32, -50, [](S32 a, S32 b) { return std::min(a, b); });
  check<U32>(AtomicOp::kMin, Type::kU32, 0xffffffceu, [](U32 a, U32 b) { return std::min(a, b); });
  check<S64>(AtomicOp::kMax, Type::kS64, -7, [](S64 a, S64 b) { return std::max(a, b); });
  check<U64>(AtomicOp::kMax, Type::kU64, ~U64{0} - 6, [](U64 a, U64 b) { return std::max(a, b); });
  check<U32>(AtomicOp::kAnd, Type::kB32, 0xffff, [](U32 a, U32 b) { return a & b; });
  check<U32>(AtomicOp::kOr, Type::kB32, 0x80000000u, [](U32 a, U32 b) { return a | b; });
  check<U64>(AtomicOp::kXor, Type::kB64, 0x123456789abcull, [](U64 a, U64 b) { return a ^ b; });
  check<U32>(AtomicOp::kExchange, Type::kB32, 11, [](U32, U32 b) { return b; });
  check<U32>(AtomicOp::kInc, Type::kU32, 20, [](U32 a, U32 b) { return a >= b ? 0 : a + 1; });
  check<U32>(AtomicOp::kDec, Type::kU32, 3,
             [](U32 a, U32 b) { return a == 0 || a > b ? b : a - 1; });
  check<float>(AtomicOp::kAdd, Type::kF32, 0.1f, [](float a, float b) { return a + b; });
  check<double>(AtomicOp::kAdd, Type::kF64, 0.1, [](double a, double b) { return a + b; });
}

TEST_F(AtomicLanes, CompareAndSwapLetsOneLaneWin) {
  *device<std::uint32_t>(buffer_) = 100;
  address(0, buffer_, 0);
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint32_t>(1)[i] = 100;
    lanes<std::uint32_t>(2)[i] = static_cast<std::uint32_t>(200 + i);
  }
  Instruction swap = instruction_of(Opcode::kAtom, Type::kB32, [](Instruction& i) {
    i.space = Space::kGlobal;
    i.atomic = AtomicOp::kCompareSwap;
  });
  run(swap, {.destinations = {3}, .sources = {0, 1, 2}}, 0xfffffff0u);
  EXPECT_EQ(*device<std::uint32_t>(buffer_), 204u);
  EXPECT_EQ(lanes<std::uint32_t>(3)[4], 100u);
  EXPECT_EQ(lanes<std::uint32_t>(3)[5], 204u);
  EXPECT_EQ(lanes<std::uint32_t>(3)[0], 0u) << "idle lanes keep their registers";
}

TEST_F(AtomicLanes, ReductionsWithoutDestinationWorkOnSharedMemory) {
  for (int i = 0; i < kLanes; ++i) {
    lanes<std::uint64_t>(0)[i] = static_cast<std::uint64_t>(i % 4 * 4);
    lanes<std::uint32_t>(1)[i] = 1;
  }
  Instruction reduce_add = instruction_of(Opcode::kAtom, Type::kU32, [](Instruction& i) {
    i.space = Space::kShared;
    i.atomic = AtomicOp::kAdd;
  });
  run(reduce_add, {.destinations = {}, .sources = {0, 1}});
  for (int i = 0; i < 4; ++i) {
    std::uint32_t count = 0;
    std::memcpy(&count, shared_.data() + 4 * i, 4);
    EXPECT_EQ(count, 8u);
  }
}

TEST_F(AtomicLanes, HalvesAddRoundedToNearest) {
  *device<std::uint32_t>(buffer_) = 0x3c003c00u;  // 1, 1
  address(0, buffer_, 0);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(1)[i] = 0x40003800u;  // 2, 0.5
  Instruction add = instruction_of(Opcode::kAtom, Type::kF16x2, [](Instruction& i) {
    i.space = Space::kGlobal;
    i.atomic = AtomicOp::kAdd;
  });
  run(add, {.destinations = {2}, .sources = {0, 1}}, 0x7u);
  EXPECT_EQ(*device<std::uint32_t>(buffer_), 0x47004100u);  // 7, 2.5
  EXPECT_EQ(lanes<std::uint32_t>(2)[1], 0x42003e00u);       // 3, 1.5
}

}  // namespace
}  // namespace raddle::kernel::exec
