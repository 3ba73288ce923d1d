// The shell of a report page: one file with its style and a few lines of script inside, which
// fetches nothing. It reads without the script, which only sorts tables and saves charts and data.
#pragma once

#include <string>
#include <string_view>

namespace raddle::report {

// `title` is plain text, `body` is HTML.
std::string html_page(std::string_view title, std::string_view body);

// A text to stand inside a <script> element: no "<" of it can end the element.
std::string script_safe(std::string_view json);

}  // namespace raddle::report
