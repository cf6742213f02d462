// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace mw::json {

namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostMembers = 256;  // each is compared with all before it

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of the UTF-8 sequence at the front of a text; 0 if it is none. Rejects overlong forms,
/// surrogates and what is beyond U+10FFFF (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned first = at(0);
  const unsigned second = at(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

/// Recursive descent. A function returns false at the first fault, which is kept.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Outcome<Value> whole() {
    Value value;
    if (!read(value, 0)) return refusal();
    skip_space();
    if (at_ < text_.size()) (void)wrong("something follows the value");
    if (fault_) return refusal();
    return value;
  }

 private:
  bool wrong(const char* what) {
    if (!fault_) fault_ = what;
    return false;
  }
  [[nodiscard]] Refusal refusal() const {
    return {"json", mw::text(*fault_, " at byte ", at_, " of ", text_.size())};
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char wanted) {
    if (peek() != wanted || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return wrong("an unknown word");
    at_ += word.size();
    return true;
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(peek()) != text_.npos) ++at_;
  }

  bool read(Value& value, int depth) {
    if (depth > kDeepest) return wrong("brackets nested too deep");
    skip_space();
    switch (peek()) {
      case '{': return read_object(value.data.emplace<Object>(), depth);
      case '[': return read_array(value.data.emplace<Array>(), depth);
      case '"': return read_string(value.data.emplace<std::string>());
      case 't': value.data = true; return take("true");
      case 'f': value.data = false; return take("false");
      case 'n': value.data = nullptr; return take("null");
      default: return read_number(value.data.emplace<double>());
    }
  }

  bool read_object(Object& object, int depth) {
    ++at_;
    skip_space();
    if (take('}')) return true;
    for (;;) {
      skip_space();
      if (peek() != '"') return wrong("a name is missing");
      if (object.names.size() == kMostMembers) return wrong("an object with too many members");
      std::string name;
      if (!read_string(name)) return false;
      if (std::ranges::find(object.names, name) != object.names.end()) {
        return wrong("a name stands twice");
      }
      object.names.push_back(std::move(name));
      skip_space();
      if (!take(':')) return wrong("a colon is missing");
      if (!read(object.values.emplace_back(), depth + 1)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return wrong("a comma or } is missing");
    }
  }

  bool read_array(Array& array, int depth) {
    ++at_;
    skip_space();
    if (take(']')) return true;
    for (;;) {
      if (!read(array.emplace_back(), depth + 1)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return wrong("a comma or ] is missing");
    }
  }

  bool read_string(std::string& out) {
    ++at_;
    for (;;) {
      if (at_ >= text_.size()) return wrong("a string without an end");
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
      if (c == '\\') {
        if (!read_escape(out)) return false;
        continue;
      }
      const std::size_t bytes = utf8_length(text_.substr(at_));
      if (bytes == 0) return wrong("no UTF-8");
      out += text_.substr(at_, bytes);
      at_ += bytes;
    }
  }

  bool read_escape(std::string& out) {
    ++at_;
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = peek();
    if (const auto i = kLetters.find(letter); at_ < text_.size() && i != kLetters.npos) {
      out += kMeanings[i];
      ++at_;
      return true;
    }
    if (!take('u')) return wrong("an unknown escape");
    auto point = read_hex();
    if (!point) return false;
    if (*point >= 0xD800 && *point < 0xDC00) {  // the first half of a pair
      if (!take('\\') || !take('u')) return wrong("half a surrogate pair");
      const auto low = read_hex();
      if (!low) return false;
      if (*low < 0xDC00 || *low > 0xDFFF) return wrong("half a surrogate pair");
      point = 0x10000 + ((*point - 0xD800) << 10) + (*low - 0xDC00);
    } else if (*point >= 0xDC00 && *point <= 0xDFFF) {
      return wrong("half a surrogate pair");
    }
    append_utf8(out, *point);
    return true;
  }

  std::optional<std::uint32_t> read_hex() {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t value = 0;
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() < 4 || error != std::errc() || stop != digits.data() + 4) {
      (void)wrong("no four hexadecimal digits");
      return std::nullopt;
    }
    at_ += 4;
    return value;
  }

  bool read_digits() {
    if (!is_digit(peek())) return wrong("no value");
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool read_number(double& value) {
    const std::size_t start = at_;
    (void)take('-');
    const std::size_t first = at_;
    if (!read_digits()) return false;
    if (text_[first] == '0' && at_ - first > 1) return wrong("a number with a leading zero");
    if (take('.') && !read_digits()) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take('+')) (void)take('-');
      if (!read_digits()) return false;
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size()) {
      return wrong("a number beyond float64");
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<const char*> fault_;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  if (const auto* object = as<Object>()) {
    const auto found = std::ranges::find(object->names, name);
    if (found != object->names.end()) {
      return &object->values[static_cast<std::size_t>(found - object->names.begin())];
    }
  }
  return nullptr;
}

Outcome<Value> parse(std::string_view text) { return Reader(text).whole(); }

std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t bytes = utf8_length(text);
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
    } else if (bytes == 0) {
      out += "\xEF\xBF\xBD";  // what is no character is replaced by U+FFFD
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

std::string number(double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return error == std::errc() ? std::string(digits, end) : "0";
}

}  // namespace mw::json
