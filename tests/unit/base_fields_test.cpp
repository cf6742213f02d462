// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>

#include "base/fields.hpp"

namespace mw {
namespace {

enum class Colour : std::uint8_t { red, green };
std::string_view name(Colour colour) { return colour == Colour::red ? "red" : "green"; }

struct Inner {
  Dims sizes;
  std::string label;
  auto fields() const { return std::tuple{field("sizes", sizes), field("label", label)}; }
};

struct Outer {
  int number = 1;
  double weight = 0.5;
  bool flag = false;
  Colour colour = Colour::red;
  std::vector<Inner> parts;
  Inner last;
  auto fields() const {
    return std::tuple{field("number", number), field("weight", weight), field("flag", flag),
                      field("colour", colour), field("parts", parts),   field("last", last)};
  }
};

Outer sample() { return {.parts = {{{1, 2}, "one"}, {{3}, "two"}}, .last = {{4, 5, 6}, "end"}}; }

TEST(Key, EqualValuesHaveEqualKeysAndHashes) {
  const Outer a = sample();
  const Outer b = sample();

  EXPECT_TRUE(same(a, b));
  EXPECT_EQ(Key::of(a), Key::of(b));
  EXPECT_EQ(KeyHash()(Key::of(a)), KeyHash()(Key::of(b)));
}

TEST(Key, EveryMemberMatters) {
  const std::vector<void (*)(Outer&)> changes = {
      [](Outer& o) { o.number = 2; },
      [](Outer& o) { o.weight = 0.25; },
      [](Outer& o) { o.flag = true; },
      [](Outer& o) { o.colour = Colour::green; },
      [](Outer& o) { o.parts.pop_back(); },
      [](Outer& o) { o.parts[0].sizes[1] = 3; },
      [](Outer& o) { o.parts[1].label = "tw"; },
      [](Outer& o) { o.last.sizes.push_back(7); },
      [](Outer& o) { o.last.label.clear(); },
  };

  for (std::size_t i = 0; i < changes.size(); ++i) {
    Outer changed = sample();
    changes[i](changed);

    EXPECT_FALSE(same(sample(), changed)) << "change " << i;
  }
}

TEST(Key, ListsAreKeptApart) {
  const auto key = [](const Dims& a, const Dims& b) {
    Key made;
    made.add(a);
    made.add(b);
    return made;
  };

  EXPECT_FALSE(key({1}, {2, 3}) == key({1, 2}, {3}));
  EXPECT_FALSE(key({}, {1}) == key({1}, {}));
}

TEST(Key, WordsAreKeptApart) {
  Key a;
  a.add(std::string("ab"));
  a.add(std::string("c"));
  Key b;
  b.add(std::string("a"));
  b.add(std::string("bc"));

  EXPECT_FALSE(a == b);
}

TEST(Fields, AreVisitedInOrderWithTheirNames) {
  std::string seen;

  for_each_field(sample(), [&](const char* name, const auto&) { seen += std::string(name) + " "; });

  EXPECT_EQ(seen, "number weight flag colour parts last ");
}

TEST(Fields, PrintNestedStructsAndLists) {
  std::ostringstream os;

  os << printed(sample());

  EXPECT_EQ(
      os.str(),
      "{number: 1, weight: 0.5, flag: false, colour: red, parts: [{sizes: (1, 2), label: one}, "
      "{sizes: (3,), label: two}], last: {sizes: (4, 5, 6), label: end}}");
}

}  // namespace
}  // namespace mw
