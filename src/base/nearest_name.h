// "Did you mean …?": the known name that a misspelt one was most likely meant to be. Used wherever
// a name is unknown.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace raddle {

// Edits that turn one name into the other: insert, delete, replace, or swap two neighbours; letter
// case costs nothing.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest of `known` within a third of the name's length, the first of equals; else the only
// one of which `wanted` is a beginning or the part after the last dot; else nothing.
std::optional<std::string> nearest_name(std::string_view wanted,
                                        std::span<const std::string> known);

// "did you mean 'fermi'?", or an empty text where nothing is near.
std::string suggestion(std::string_view wanted, std::span<const std::string> known);

}  // namespace raddle
