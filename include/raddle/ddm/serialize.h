// Objects as bytes, for other nodes: what is trivially copyable goes as it is; standard containers,
// strings, pairs, tuples and optionals go element by element; other types say how, by
//
//   template <class Archive> void serialize(Archive& archive, Particle& p) { archive(p.name, p.at);
//   }
//
// beside the type, or as a member without the second parameter. The same function writes and reads.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "raddle/ddm/graph.h"

namespace raddle::ddm {

class Writer;
class Reader;

namespace detail {

template <class T>
inline constexpr bool kIsBytes =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_empty_v<T>;
template <class T>
concept SerializesItself = requires(T& object, Writer& archive) { object.serialize(archive); };
template <class T>
concept SerializedBeside = requires(T& object, Writer& archive) { serialize(archive, object); };
template <class T>
concept Container = requires(T& object, typename T::value_type value) {
  object.size();
  object.clear();
  object.insert(object.end(), std::move(value));
};
template <class T>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool kIsTuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsArray<std::array<T, n>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A map's elements have constant keys; these do not.
template <class T>
struct Element {
  using type = T;
};
template <class A, class B>
struct Element<std::pair<A, B>> {
  using type = std::pair<std::remove_const_t<A>, B>;
};

template <class T>
consteval bool serializes() {
  if constexpr (std::is_pointer_v<T>) {
    return false;
  } else if constexpr (SerializesItself<T> || SerializedBeside<T> ||
                       std::is_trivially_copyable_v<T>) {
    return true;
  } else if constexpr (kIsTuple<T>) {
    return []<std::size_t... n>(std::index_sequence<n...>) {
      return (serializes<std::remove_const_t<std::tuple_element_t<n, T>>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (kIsOptional<T> || kIsArray<T> || Container<T>) {
    return serializes<typename T::value_type>();
  } else {
    return false;
  }
}

}  // namespace detail

// Turns objects into bytes: archive(a, b, …).
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  template <class... Objects>
  void operator()(const Objects&... objects) {
    (put(objects), ...);
  }

 private:
  template <class T>
  void put(const T& object) {
    static_assert(detail::serializes<T>(),
                  "say how this type goes to another node: serialize(archive, object)");
    if constexpr (detail::SerializesItself<T>) {
      const_cast<T&>(object).serialize(*this);  // the same function reads
    } else if constexpr (detail::SerializedBeside<T>) {
      serialize(*this, const_cast<T&>(object));
    } else if constexpr (detail::kIsBytes<T>) {
      append(&object, sizeof object);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      return;  // nothing in it
    } else if constexpr (detail::kIsTuple<T>) {
      std::apply([&](const auto&... part) { (put(part), ...); }, object);
    } else if constexpr (detail::kIsOptional<T>) {
      put(object.has_value());
      if (object) put(*object);
    } else if constexpr (detail::kIsArray<T>) {
      for (const auto& element : object) put(element);
    } else {
      put(std::uint64_t{object.size()});
      using Value = typename T::value_type;
      if constexpr (std::contiguous_iterator<decltype(object.begin())> && detail::kIsBytes<Value>) {
        if (!object.empty()) append(object.data(), object.size() * sizeof(Value));
      } else {
        for (const auto& element : object) put(static_cast<const Value&>(element));
      }
    }
  }
  void append(const void* from, std::size_t count) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }

  std::vector<std::byte>& bytes_;
};

// Turns such bytes back into objects. Bytes that are too few leave the rest as it is; see good().
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class... Objects>
  void operator()(Objects&... objects) {
    (get(objects), ...);
  }
  // Whether all bytes were used, and there were enough.
  [[nodiscard]] bool good() const { return enough_ && bytes_.empty(); }

 private:
  template <class T>
  void get(T& object) {
    if constexpr (detail::SerializesItself<T>) {
      object.serialize(*this);
    } else if constexpr (detail::SerializedBeside<T>) {
      serialize(*this, object);
    } else if constexpr (detail::kIsBytes<T>) {
      take(&object, sizeof object);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      return;
    } else if constexpr (detail::kIsTuple<T>) {
      std::apply([&](auto&... part) { (get(part), ...); }, object);
    } else if constexpr (detail::kIsOptional<T>) {
      bool has_value = false;
      get(has_value);
      object.reset();
      if (has_value) get(object.emplace());
    } else if constexpr (detail::kIsArray<T>) {
      for (auto& element : object) get(element);
    } else {
      get_container(object);
    }
  }

  template <class T>
  void get_container(T& object) {
    std::uint64_t count = 0;
    get(count);
    object.clear();
    using Value = typename detail::Element<typename T::value_type>::type;
    if constexpr (std::contiguous_iterator<decltype(object.begin())> && detail::kIsBytes<Value>) {
      if (count > bytes_.size() / sizeof(Value)) {
        enough_ = false;
        return;
      }
      object.resize(count);
      if (count > 0) take(object.data(), count * sizeof(Value));
    } else {
      for (std::uint64_t i = 0; i < count && enough_; ++i) {
        Value value{};
        get(value);
        if (enough_) object.insert(object.end(), std::move(value));
      }
    }
  }
  void take(void* to, std::size_t count) {
    if (count > bytes_.size()) {
      enough_ = false;
      return;
    }
    std::memcpy(to, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }

  std::span<const std::byte> bytes_;
  bool enough_ = true;
};

namespace detail {

template <class T>
inline constexpr Codec kCodec{[](const void* object, std::vector<std::byte>& bytes) {
                                Writer archive(bytes);
                                archive(*static_cast<const T*>(object));
                              },
                              [](void* object, const std::byte* bytes, std::size_t count) {
                                Reader archive({bytes, count});
                                archive(*static_cast<T*>(object));
                                return archive.good();
                              }};

// Frames that go to another node by their codec.
template <class Frame>
inline constexpr bool kSerializedFrame =
    !std::is_trivially_copyable_v<Frame> && serializes<Frame>() &&
    std::is_default_constructible_v<Frame>;

}  // namespace detail

}  // namespace raddle::ddm
