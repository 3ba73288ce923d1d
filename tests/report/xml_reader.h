// A reader of well-formed XML that is strict about what Raddle writes: every tag closed, every
// attribute quoted and there once, every entity known. With `html`, <script> and <style> hold raw
// text and a <!doctype> may come first.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::report {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;        // its own, without that of its children
  std::string whole_text;  // of this and everything below, in the order of the document
  std::vector<XmlElement> children;

  // An empty text where there is none.
  std::string attribute(const std::string& key) const;
  double number(const std::string& key) const;  // throws where it is none
  bool has_class(std::string_view wanted) const;
  // Elements below with this name, and class if given, in the order of the document.
  std::vector<const XmlElement*> all(std::string_view wanted,
                                     std::string_view css_class = {}) const;
};

enum class XmlKind { kXml, kHtml };

// Throws std::runtime_error that says what is wrong and where.
XmlElement read_xml(std::string_view text, XmlKind kind = XmlKind::kXml);

}  // namespace raddle::report
