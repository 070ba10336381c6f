// Words for messages: quoting, joining, sizes, and guesses at what a user meant.
//
// Threading: pure functions.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

// 'value', with control characters escaped, cut after `limit` bytes so that a message stays a
// message.
WARPWISE_API std::string quote(std::string_view value, std::size_t limit = 200);

// "a, b, c".
WARPWISE_API std::string join(std::span<const std::string> parts,
                              std::string_view separator = ", ");
WARPWISE_API std::string join(std::initializer_list<std::string_view> parts,
                              std::string_view separator = ", ");

// "512 bytes", "1.5 GiB": one decimal, powers of 1024.
WARPWISE_API std::string human_bytes(std::uint64_t bytes);

// What an exception says. Throws what is no std::exception.
WARPWISE_API std::string text_of_error(const std::exception_ptr& error);

// The words of a text, separated by any number of blanks.
WARPWISE_API std::vector<std::string> split_at_blanks(std::string_view text);
// The same, separated by commas and blanks.
WARPWISE_API std::vector<std::string> split_at_commas(std::string_view text);

// The candidate a misspelt name is nearest to, if it is near: at most two fifths of the name
// wrong, where a letter in the wrong case counts a third.
WARPWISE_API std::optional<std::string> nearest_name(std::string_view name,
                                                     std::span<const std::string> candidates);

// "; did you mean 'scale'?", or nothing, to end a message with.
WARPWISE_API std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace warpwise
