// The words that declarations of threads and arcs are made of: range(n, m), offset(1, 0), all,
// data(x, span).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "raddle/ddm/graph.h"

namespace raddle::ddm {

// The frame of programs and blocks that need none.
struct NoFrame {};

// Extents of which a thread runs some indices at a time; 0: so many as the library chooses.
template <class... Sizes>
struct GrainedRange {
  std::tuple<Sizes...> sizes;
  std::array<std::size_t, sizeof...(Sizes)> grain;
};

// An extent: a number, a member of the frame, or a function of the frame.
template <class... Sizes>
struct Range {
  static constexpr int kDimensions = sizeof...(Sizes);
  std::tuple<Sizes...> sizes;

  // Chunks of so many indices in each dimension become one thread; without numbers the library
  // chooses (see grain.h).
  template <std::integral... Grain>
  [[nodiscard]] constexpr GrainedRange<Sizes...> grain(Grain... each) const {
    static_assert(sizeof...(Grain) == 0 || sizeof...(Grain) == sizeof...(Sizes),
                  "grain(…) takes one number for each dimension of the range, or none");
    return {sizes, {static_cast<std::size_t>(each)...}};
  }
};

template <class... Sizes>
constexpr Range<Sizes...> range(Sizes... sizes) {
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= kMaxDimensions,
                "a thread has one, two or three dimensions");
  static_assert((!std::is_floating_point_v<Sizes> && ...), "range(…) takes whole numbers");
  return {{std::move(sizes)...}};
}

template <int dimensions>
struct Offset {
  static constexpr int kSteps = dimensions;
  std::array<std::ptrdiff_t, dimensions> distance;
};

// Index i of the producer enables index i + distance of the consumer, where there is one.
template <std::integral... Steps>
  requires(sizeof...(Steps) >= 1 && sizeof...(Steps) <= kMaxDimensions)
constexpr Offset<sizeof...(Steps)> offset(Steps... steps) {
  return {{static_cast<std::ptrdiff_t>(steps)...}};
}

// Every instance of the consumer waits for every instance of the producer.
struct All {};
inline constexpr All all;

// Where a mapping function sends its consumers: to(i), to(i, j) or to(i, j, k).
template <int dimensions>
class To {
 public:
  explicit To(IndexSink sink) : sink_(sink) {}

  template <std::convertible_to<std::size_t>... Index>
  void operator()(Index... index) const {
    static_assert(sizeof...(Index) == dimensions,
                  "to(…) takes one index for each dimension of the consumer");
    Coordinates at{};
    int dimension = kMaxDimensions - dimensions;
    ((at[dimension++] = static_cast<std::size_t>(index)), ...);
    sink_(at);
  }

 private:
  IndexSink sink_;
};

namespace detail {

template <class T>
Operand operand(T& object) {
  if constexpr (requires { std::span(object); }) {
    const auto bytes = std::as_bytes(std::span(object));
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
  } else {
    static_assert(std::is_trivially_copyable_v<T>,
                  "data(…) takes trivially copyable objects, or spans of such");
    return {const_cast<std::byte*>(reinterpret_cast<const std::byte*>(std::addressof(object))),
            sizeof(T)};
  }
}

}  // namespace detail

// Objects and spans of memory that a thread reads or an arc carries.
template <class... Objects>
std::array<Operand, sizeof...(Objects)> data(Objects&&... objects) {
  return {detail::operand(objects)...};
}

namespace detail {

// Calls f(frame, indices…, extra…) or, if it takes no frame, f(indices…, extra…): there may be
// none.
template <class Function, class Frame, class... Rest>
concept TakesFrame = std::is_invocable_v<const Function&, Frame&, Rest...>;
template <class Function, class... Rest>
concept TakesNoFrame = std::is_invocable_v<const Function&, Rest...>;

template <class Frame, class Function, class... Rest>
decltype(auto) call_with_frame(const Function& function, Frame* frame, Rest&&... rest) {
  if constexpr (TakesFrame<Function, Frame, Rest...>) {
    return std::invoke(function, *frame, std::forward<Rest>(rest)...);
  } else {
    return std::invoke(function, std::forward<Rest>(rest)...);
  }
}

template <class Function>
inline constexpr bool kIsOffset = false;
template <int dimensions>
inline constexpr bool kIsOffset<Offset<dimensions>> = true;

// An array, or any other range, of operands.
template <class Result>
concept GivesData = requires(Result result) {
  { *std::begin(result) } -> std::convertible_to<Operand>;
  std::end(result);
};

// Whether a function can be called with (frame?, dimensions × index, rest…).
template <int dimensions, class Frame, class Function, class... Rest>
consteval bool takes_index() {
  return []<std::size_t... n>(std::index_sequence<n...>) {
    return TakesFrame<Function, Frame, decltype(static_cast<void>(n), std::size_t{})..., Rest...> ||
           TakesNoFrame<Function, decltype(static_cast<void>(n), std::size_t{})..., Rest...>;
  }(std::make_index_sequence<dimensions>{});
}

// Calls a function with as many indices as the thread has dimensions.
template <int dimensions, class Frame, class Function, class... Rest>
decltype(auto) call_at(const Function& function, Frame* frame, const Coordinates& at,
                       Rest&&... rest) {
  if constexpr (dimensions == 0) {
    return call_with_frame(function, frame, std::forward<Rest>(rest)...);
  } else if constexpr (dimensions == 1) {
    return call_with_frame(function, frame, at[2], std::forward<Rest>(rest)...);
  } else if constexpr (dimensions == 2) {
    return call_with_frame(function, frame, at[1], at[2], std::forward<Rest>(rest)...);
  } else {
    return call_with_frame(function, frame, at[0], at[1], at[2], std::forward<Rest>(rest)...);
  }
}

template <int dimensions, class Frame, class Function, class... Rest>
using ResultAt =
    decltype(call_at<dimensions>(std::declval<const Function&>(), std::declval<Frame*>(),
                                 std::declval<const Coordinates&>(), std::declval<Rest>()...));

// The number that an extent stands for.
template <class Frame, class Size>
std::size_t extent_of(const Size& size, const Frame& frame) {
  if constexpr (std::is_convertible_v<Size, std::size_t>) {
    return static_cast<std::size_t>(size);
  } else {
    static_assert(std::is_invocable_r_v<std::size_t, const Size&, const Frame&>,
                  "range(…) takes numbers, members of the block's frame, or functions of it");
    return static_cast<std::size_t>(std::invoke(size, frame));
  }
}

template <class Frame, class... Sizes>
Extents extents_of(const Range<Sizes...>& range, const Frame& frame) {
  Extents extents;
  int dimension = kMaxDimensions - static_cast<int>(sizeof...(Sizes));
  std::apply(
      [&](const auto&... size) { ((extents.size[dimension++] = extent_of(size, frame)), ...); },
      range.sizes);
  return extents;
}

template <class... Sizes>
inline constexpr bool kFixed = (std::is_convertible_v<Sizes, std::size_t> && ...);

}  // namespace detail

}  // namespace raddle::ddm
