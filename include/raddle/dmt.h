// Threads of a block that pass values to each other directly: the interface of the dMT-CGRA paper
// (Table 1), for plain CUDA sources. Functions that need C++20 templates to be written as the paper
// writes them:
//
//   float sum = fromThreadOrConst<"sum", -1, 0.0f>() + value;   // from the thread before this one
//   tagValue<"sum">(sum);                                       // and for the one after it
//   float a = fromThreadOrMem<{-1, 0}>(A[y][i], x == 0);        // one thread loads, others pass on
//
// A distance is that from the thread to the one it receives from: -1 or {-1} along x, {0, -1} along
// y, {0, 0, 1} along z. It is tested in every dimension against the block. A window of `window`
// threads cuts the block, by linear thread number, into groups that keep to themselves.
// A receive waits until its source has tagged the value; it may stand before or after the tag.
// Inside loops the n-th receive gets what was tagged the n-th time. All threads of a block must
// pass the same of these calls in the same order: conditions around them must be the same for the
// whole block.
#pragma once

#if __cplusplus < 202002L
#error "raddle/dmt.h needs C++20: compile with -std=c++20, or leave -std out"
#else

namespace raddle::dmt {

// Where the other thread is, seen from this one.
struct Delta {
  int x, y, z;
  constexpr Delta(int along_x, int along_y = 0, int along_z = 0)
      : x(along_x), y(along_y), z(along_z) {}
};

// The name of a channel.
template <unsigned Size>
struct Name {
  static_assert(Size >= 2 && Size <= 33, "the name of a channel has 1 to 32 characters");
  char text[Size]{};
  constexpr Name(const char (&name)[Size]) {
    for (unsigned i = 0; i < Size; ++i) text[i] = name[i];
  }
  // Eight characters of it, the first one lowest.
  constexpr unsigned long long word(unsigned index) const {
    unsigned long long bits = 0;
    for (unsigned i = 0; i < 8 && 8 * index + i < Size; ++i)
      bits |= static_cast<unsigned long long>(static_cast<unsigned char>(text[8 * index + i]))
              << 8 * i;
    return bits;
  }
};

template <class T>
inline constexpr bool kCanBePassed = false;

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<const T> {
  using type = T;
};

// What the reader of PTX turns into the kernel's inter-thread operations; nowhere defined. One set
// for every type of value, `raw` being the one that carries it.
template <class T>
struct Operations;

#define RADDLE_DMT_DECLARE(raw, suffix)                                                        \
  extern "C" __device__ void __raddle_it_tag_##suffix(                                         \
      raw value, unsigned long long name0, unsigned long long name1, unsigned long long name2, \
      unsigned long long name3);                                                               \
  extern "C" __device__ raw __raddle_it_recv_const_##suffix(                                   \
      raw otherwise, int dx, int dy, int dz, unsigned window, unsigned long long name0,        \
      unsigned long long name1, unsigned long long name2, unsigned long long name3);           \
  extern "C" __device__ raw __raddle_it_recv_load_##suffix(                                    \
      const void* address, unsigned load, int dx, int dy, int dz, unsigned window);

// nodebug: what is inlined has the line of the call in the user's source.
#define RADDLE_DMT_INLINE __device__ __attribute__((always_inline, nodebug)) inline

#define RADDLE_DMT_OPERATIONS(T, raw, suffix)                                                   \
  template <>                                                                                   \
  inline constexpr bool kCanBePassed<T> = true;                                                 \
  template <>                                                                                   \
  struct Operations<T> {                                                                        \
    template <Name name>                                                                        \
    static RADDLE_DMT_INLINE void tag(T value) {                                                \
      __raddle_it_tag_##suffix(value, name.word(0), name.word(1), name.word(2), name.word(3));  \
    }                                                                                           \
    template <Name name, Delta delta, unsigned window>                                          \
    static RADDLE_DMT_INLINE T receive(T otherwise) {                                           \
      return __raddle_it_recv_const_##suffix(otherwise, delta.x, delta.y, delta.z, window,      \
                                             name.word(0), name.word(1), name.word(2),          \
                                             name.word(3));                                     \
    }                                                                                           \
    template <Delta delta, unsigned window>                                                     \
    static RADDLE_DMT_INLINE T receive_or_load(const T& element, bool load) {                   \
      return __raddle_it_recv_load_##suffix(&element, load, delta.x, delta.y, delta.z, window); \
    }                                                                                           \
  };

RADDLE_DMT_DECLARE(float, f32)
RADDLE_DMT_DECLARE(double, f64)
RADDLE_DMT_DECLARE(int, s32)
RADDLE_DMT_DECLARE(unsigned, u32)
RADDLE_DMT_DECLARE(long long, s64)
RADDLE_DMT_DECLARE(unsigned long long, u64)

RADDLE_DMT_OPERATIONS(float, float, f32)
RADDLE_DMT_OPERATIONS(double, double, f64)
RADDLE_DMT_OPERATIONS(int, int, s32)
RADDLE_DMT_OPERATIONS(unsigned, unsigned, u32)
RADDLE_DMT_OPERATIONS(long, long long, s64)
RADDLE_DMT_OPERATIONS(unsigned long, unsigned long long, u64)
RADDLE_DMT_OPERATIONS(long long, long long, s64)
RADDLE_DMT_OPERATIONS(unsigned long long, unsigned long long, u64)

#undef RADDLE_DMT_DECLARE
#undef RADDLE_DMT_OPERATIONS

}  // namespace raddle::dmt

// What the thread at this distance tags on the channel, or the constant where there is no such
// thread in the block or in the window. The constant's type is that of the value.
template <raddle::dmt::Name name, raddle::dmt::Delta delta, auto constant, unsigned window = 0>
RADDLE_DMT_INLINE auto fromThreadOrConst() {
  using Value = typename raddle::dmt::Plain<decltype(constant)>::type;
  static_assert(raddle::dmt::kCanBePassed<Value>,
                "threads pass float, double and integers of 32 and 64 bits: the constant must be "
                "one of these, and of the type that is tagged");
  if constexpr (raddle::dmt::kCanBePassed<Value>)
    return raddle::dmt::Operations<Value>::template receive<name, delta, window>(constant);
}

// Passes the value to all threads that receive from the channel.
template <raddle::dmt::Name name, class Value>
RADDLE_DMT_INLINE void tagValue(Value value) {
  static_assert(raddle::dmt::kCanBePassed<Value>,
                "threads pass float, double and integers of 32 and 64 bits");
  if constexpr (raddle::dmt::kCanBePassed<Value>)
    raddle::dmt::Operations<Value>::template tag<name>(value);
}

// The element, loaded by threads whose predicate is true and by those that have no thread at this
// distance; all others get the value that the thread there got. Every call is a channel of its own.
template <raddle::dmt::Delta delta, unsigned window = 0, class Value>
RADDLE_DMT_INLINE Value fromThreadOrMem(const Value& element, bool predicate) {
  static_assert(raddle::dmt::kCanBePassed<Value>,
                "threads pass float, double and integers of 32 and 64 bits");
  if constexpr (raddle::dmt::kCanBePassed<Value>)
    return raddle::dmt::Operations<Value>::template receive_or_load<delta, window>(element,
                                                                                   predicate);
}

// A value that is in no memory cannot be loaded.
template <raddle::dmt::Delta delta, unsigned window = 0, class Value>
Value fromThreadOrMem(const Value&& element, bool predicate) = delete;

#undef RADDLE_DMT_INLINE

#endif
