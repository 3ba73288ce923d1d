// The words that declarations of threads and arcs are made of: range(n, m), offset(1, 0), all,
// data(x, span, section(…)).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "raddle/ddm/graph.h"
#include "raddle/ddm/serialize.h"

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
  static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= kMaxIndices,
                "a thread has one to six dimensions");
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
  requires(sizeof...(Steps) >= 1 && sizeof...(Steps) <= kMaxIndices)
constexpr Offset<sizeof...(Steps)> offset(Steps... steps) {
  return {{static_cast<std::ptrdiff_t>(steps)...}};
}

// Every instance of the consumer waits for every instance of the producer.
struct All {};
inline constexpr All all;

namespace detail {

// From coordinates to the indices of a thread, and back. Up to three are the coordinates; of more
// the outer ones are folded into the first coordinate, by sizes that the range says.
template <int dimensions>
struct Folding {
  explicit Folding(const ThreadTemplate&) {}
  static const Coordinates& indices(const void*, const Coordinates& at) { return at; }
  static Coordinates coordinates(const void*, const std::array<std::size_t, dimensions>& index) {
    Coordinates at{};
    for (int i = 0; i < dimensions; ++i) at[kMaxDimensions - dimensions + i] = index[i];
    return at;
  }
};

template <int dimensions>
  requires(dimensions > kMaxDimensions)
struct Folding<dimensions> {
  static constexpr int kFolded = dimensions - (kMaxDimensions - 1);
  std::function<void(const void* frame, std::size_t* sizes)> sizes;

  explicit Folding(const ThreadTemplate& thread) : sizes(thread.folded) {}

  [[nodiscard]] Indices indices(const void* frame, const Coordinates& at) const {
    std::array<std::size_t, kFolded> size;
    sizes(frame, size.data());
    Indices index{};
    index[kMaxIndices - 1] = at[2];
    index[kMaxIndices - 2] = at[1];
    std::size_t left = at[0];
    for (int i = kFolded; i-- > 0;) {
      index[kMaxIndices - dimensions + i] = left % size[i];
      left /= size[i];
    }
    return index;
  }
  // An index beyond the sizes becomes a coordinate beyond any range.
  [[nodiscard]] Coordinates coordinates(const void* frame,
                                        const std::array<std::size_t, dimensions>& index) const {
    std::array<std::size_t, kFolded> size;
    sizes(frame, size.data());
    std::size_t folded = 0;
    for (int i = 0; i < kFolded; ++i) {
      if (index[i] >= size[i]) return {~std::size_t{0}, 0, 0};
      folded = folded * size[i] + index[i];
    }
    return {folded, index[dimensions - 2], index[dimensions - 1]};
  }
};

// The coordinates of a consumer in the context of a frame.
template <int dimensions>
struct Target {
  Target(const Folding<dimensions>&, const void*) {}
  static Coordinates coordinates(const std::array<std::size_t, dimensions>& index) {
    return Folding<dimensions>::coordinates(nullptr, index);
  }
};
template <int dimensions>
  requires(dimensions > kMaxDimensions)
struct Target<dimensions> {
  const Folding<dimensions>& folding;
  const void* frame;

  Target(const Folding<dimensions>& of, const void* in) : folding(of), frame(in) {}
  [[nodiscard]] Coordinates coordinates(const std::array<std::size_t, dimensions>& index) const {
    return folding.coordinates(frame, index);
  }
};

}  // namespace detail

// Where a mapping function sends its consumers: to(i), to(i, j) or to(i, j, k) …
template <int dimensions>
class To {
 public:
  To(IndexSink sink, const detail::Folding<dimensions>& folding, const void* frame)
      : sink_(sink), target_(folding, frame) {}

  template <std::convertible_to<std::size_t>... Index>
  void operator()(Index... index) const {
    static_assert(sizeof...(Index) == dimensions,
                  "to(…) takes one index for each dimension of the consumer");
    if constexpr (sizeof...(Index) == dimensions)
      sink_(target_.coordinates({static_cast<std::size_t>(index)...}));
  }

 private:
  IndexSink sink_;
  [[no_unique_address]] detail::Target<dimensions> target_;
};

// Rows of a matrix that lie apart: a block of it.
struct Section {
  std::vector<Operand> rows;
};

// An object that goes to other nodes as serialize(…) says, and not as its bytes: also vectors and
// strings whose length may differ.
struct Object {
  Operand operand;
};

namespace detail {

template <class T>
inline constexpr bool kSpansBytes = false;
template <class T>
  requires requires(T& object) { std::span(object); }
inline constexpr bool kSpansBytes<T> =
    std::is_trivially_copyable_v<typename decltype(std::span(std::declval<T&>()))::value_type>;

template <class T>
Operand operand(T& object) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, Object>) {
    return object.operand;
  } else if constexpr (kSpansBytes<T>) {
    const auto bytes = std::as_bytes(std::span(object));
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
  } else {
    auto* place =
        const_cast<std::byte*>(reinterpret_cast<const std::byte*>(std::addressof(object)));
    if constexpr (std::is_trivially_copyable_v<T>) return {place, sizeof(T)};
    static_assert(std::is_trivially_copyable_v<T> || serializes<Plain>(),
                  "data(…) takes trivially copyable objects, spans of such, and what can be "
                  "serialized: serialize(archive, object)");
    if constexpr (!std::is_trivially_copyable_v<T> && serializes<Plain>())
      return {place, sizeof(T), &kCodec<Plain>};
  }
}

template <class T>
void append(std::vector<Operand>& operands, T& object) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, Section>) {
    operands.insert(operands.end(), object.rows.begin(), object.rows.end());
  } else {
    operands.push_back(operand(object));
  }
}

}  // namespace detail

template <class T>
Section section(T* first, std::size_t rows, std::size_t columns, std::size_t stride) {
  Section made;
  made.rows.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<T> row(first + i * stride, columns);
    made.rows.push_back(detail::operand(row));
  }
  return made;
}

template <class T>
Object object(T& value) {
  static_assert(detail::serializes<std::remove_const_t<T>>(),
                "say how this type goes to another node: serialize(archive, object)");
  return {{const_cast<std::byte*>(reinterpret_cast<const std::byte*>(std::addressof(value))),
           sizeof(T), &detail::kCodec<std::remove_const_t<T>>}};
}

// Objects, spans and sections of memory that a thread reads or writes or an arc carries.
template <class... Objects>
auto data(Objects&&... objects) {
  constexpr bool kSections = (std::is_same_v<std::remove_cvref_t<Objects>, Section> || ...);
  if constexpr (kSections) {
    std::vector<Operand> operands;
    (detail::append(operands, objects), ...);
    return operands;
  } else {
    return std::array<Operand, sizeof...(Objects)>{detail::operand(objects)...};
  }
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

// Calls a function with as many indices as the thread has dimensions: the last of `at`.
template <int dimensions, class Frame, class Function, std::size_t count, class... Rest>
decltype(auto) call_at(const Function& function, Frame* frame,
                       const std::array<std::size_t, count>& at, Rest&&... rest) {
  return [&]<std::size_t... n>(std::index_sequence<n...>) -> decltype(auto) {
    return call_with_frame(function, frame, at[count - dimensions + n]...,
                           std::forward<Rest>(rest)...);
  }(std::make_index_sequence<dimensions>{});
}

template <int dimensions, class Frame, class Function, class... Rest>
using ResultAt =
    decltype(call_at<dimensions>(std::declval<const Function&>(), std::declval<Frame*>(),
                                 std::declval<const Indices&>(), std::declval<Rest>()...));

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

// With more than three dimensions, the first has the product of the outer ones.
template <class Frame, class... Sizes>
Extents extents_of(const Range<Sizes...>& range, const Frame& frame) {
  constexpr int kCount = sizeof...(Sizes);
  std::array<std::size_t, kCount> size{};
  std::apply(
      [&](const auto&... each) {
        int dimension = 0;
        ((size[dimension++] = extent_of(each, frame)), ...);
      },
      range.sizes);
  Extents extents;
  for (int i = kCount; i-- > 0;) {
    auto& product = extents.size[std::max(0, i + kMaxDimensions - kCount)];
    if (__builtin_mul_overflow(product, size[i], &product)) product = ~std::size_t{0};
  }
  return extents;
}

// The sizes of the dimensions that are folded.
template <class Frame, class... Sizes>
void folded_sizes(const Range<Sizes...>& range, const Frame& frame, std::size_t* to) {
  [&]<std::size_t... n>(std::index_sequence<n...>) {
    ((to[n] = extent_of(std::get<n>(range.sizes), frame)), ...);
  }(std::make_index_sequence<sizeof...(Sizes) - (kMaxDimensions - 1)>{});
}

template <class... Sizes>
inline constexpr bool kFixed = (std::is_convertible_v<Sizes, std::size_t> && ...);

}  // namespace detail

}  // namespace raddle::ddm
