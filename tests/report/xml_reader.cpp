#include "report/xml_reader.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace raddle::report {

namespace {

class Reader {
 public:
  Reader(std::string_view text, XmlKind kind) : text_(text), is_html_(kind == XmlKind::kHtml) {}

  XmlElement read() {
    if (is_html_ && text_.starts_with("<!doctype html>")) place_ = 15;
    skip_blanks();
    XmlElement root = element();
    skip_blanks();
    if (place_ != text_.size()) fail("something follows the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(
        fmt::format("{} at byte {}: {}", what, place_, text_.substr(place_, 60)));
  }

  bool at(std::string_view expected) const { return text_.substr(place_).starts_with(expected); }

  void take(std::string_view expected) {
    if (!at(expected)) fail(fmt::format("'{}' expected", expected));
    place_ += expected.size();
  }

  void skip_blanks() {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_])) != 0)
      ++place_;
  }

  std::string name() {
    const std::size_t start = place_;
    while (place_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[place_])) != 0 ||
                                     text_[place_] == '-' || text_[place_] == ':'))
      ++place_;
    if (start == place_) fail("a name expected");
    return std::string(text_.substr(start, place_ - start));
  }

  // Up to one of `ends`, entities resolved.
  std::string characters(std::string_view ends) {
    std::string result;
    while (place_ < text_.size() && ends.find(text_[place_]) == std::string_view::npos) {
      const auto c = static_cast<unsigned char>(text_[place_]);
      if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') fail("a control character");
      if (c == '&') {
        result += entity();
      } else {
        result += text_[place_++];
      }
    }
    return result;
  }

  char entity() {
    static const std::map<std::string_view, char> known{
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    for (const auto& [written, meant] : known) {
      if (!at(written)) continue;
      place_ += written.size();
      return meant;
    }
    fail("a bare & or an unknown entity");
  }

  XmlElement element() {
    XmlElement element;
    take("<");
    element.name = name();
    for (;;) {
      const std::size_t before = place_;
      skip_blanks();
      if (at("/>")) {
        take("/>");
        return element;
      }
      if (at(">")) break;
      if (place_ == before) fail("a blank before the attribute expected");
      attribute(element);
    }
    take(">");
    const bool is_raw = is_html_ && (element.name == "script" || element.name == "style");
    if (is_raw) {
      const std::size_t end = text_.find("</" + element.name + ">", place_);
      if (end == std::string_view::npos) fail("the element does not end");
      element.text = text_.substr(place_, end - place_);
      place_ = end;
    } else {
      content(element);
    }
    take("</");
    if (name() != element.name) fail(fmt::format("</{}> expected", element.name));
    take(">");
    return element;
  }

  void attribute(XmlElement& element) {
    const std::string key = name();
    take("=\"");
    const std::string value = characters("\"<");
    take("\"");
    if (!element.attributes.emplace(key, value).second) fail(fmt::format("a second {}", key));
  }

  void content(XmlElement& element) {
    for (;;) {
      const std::string text = characters("<");
      element.text += text;
      element.whole_text += text;
      if (place_ == text_.size()) fail(fmt::format("<{}> is not closed", element.name));
      if (at("</")) return;
      element.children.push_back(this->element());
      element.whole_text += element.children.back().whole_text;
    }
  }

  std::string_view text_;
  bool is_html_;
  std::size_t place_ = 0;
};

void collect(const XmlElement& element, std::string_view wanted, std::string_view css_class,
             std::vector<const XmlElement*>& found) {
  for (const XmlElement& child : element.children) {
    if (child.name == wanted && (css_class.empty() || child.has_class(css_class)))
      found.push_back(&child);
    collect(child, wanted, css_class, found);
  }
}

}  // namespace

std::string XmlElement::attribute(const std::string& key) const {
  const auto place = attributes.find(key);
  return place == attributes.end() ? std::string() : place->second;
}

double XmlElement::number(const std::string& key) const {
  std::size_t used = 0;
  const std::string value = attribute(key);
  const double result = std::stod(value, &used);
  if (used != value.size() || !std::isfinite(result))
    throw std::runtime_error(fmt::format("{}=\"{}\" is no number", key, value));
  return result;
}

bool XmlElement::has_class(std::string_view wanted) const {
  return fmt::format(" {} ", attribute("class")).find(fmt::format(" {} ", wanted)) !=
         std::string::npos;
}

std::vector<const XmlElement*> XmlElement::all(std::string_view wanted,
                                               std::string_view css_class) const {
  std::vector<const XmlElement*> found;
  collect(*this, wanted, css_class, found);
  return found;
}

XmlElement read_xml(std::string_view text, XmlKind kind) { return Reader(text, kind).read(); }

}  // namespace raddle::report
