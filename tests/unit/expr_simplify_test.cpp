// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "expr/evaluate.hpp"
#include "expr/print.hpp"
#include "expr/serialize.hpp"
#include "expr/simplify.hpp"
#include "expr/validate.hpp"
#include "expr_random.hpp"
#include "expr_support.hpp"

namespace mw::expr {
namespace {

TEST(ExprSimplify, EvaluatesIdenticallyOnAwkwardValues) {
  RandomExpressions random(7);
  std::size_t before = 0;
  std::size_t after = 0;
  for (int round = 0; round < 3000; ++round) {
    const Function function = random.function(3 + round % 25);
    const Function simple = simplify(function);
    ASSERT_NO_THROW(validate(simple)) << to_text(function);
    before += function.nodes.size();
    after += simple.nodes.size();
    for (int trial = 0; trial < 8; ++trial) {
      const std::array element = {random.number(function.elements[0].dtype)};
      const std::array tensors = {random.number(function.tensors[0].dtype),
                                  random.number(function.tensors[1].dtype)};
      const std::array scalars = {random.number(DType::float64)};
      const std::array<std::int64_t, 2> index = {3, 5};
      const Point point{element, tensors, scalars, index};
      const auto wanted = evaluate(function, point);
      const auto seen = evaluate(simple, point);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_TRUE(identical(wanted[i], seen[i]))
            << to_text(function) << "\nsimplified:\n"
            << to_text(simple) << "\n"
            << wanted[i].real << " " << wanted[i].imag << " " << wanted[i].integer << " became "
            << seen[i].real << " " << seen[i].imag << " " << seen[i].integer << "\nx "
            << element[0].real << " " << element[0].integer << " a " << tensors[0].real << " "
            << tensors[0].integer << " b " << tensors[1].real << " " << tensors[1].integer;
      }
    }
  }
  EXPECT_LT(2 * after, before);  // that it does something at all
}

TEST(ExprSimplify, IsDoneAtOnce) {
  RandomExpressions random(11);
  for (int round = 0; round < 300; ++round) {
    const Function simple = simplify(random.function(20));
    EXPECT_TRUE(same(simple, simplify(simple))) << to_text(simple);
  }
}

struct Case {
  const char* wanted;
  Term (*make)(Builder&, Term x, Term n);
};

const Case kExactRules[] = {
    {"x",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::multiply, {x, f.literal(1.0)});
     }},
    {"x*0",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::multiply, {x, f.literal(0.0)});
     }},
    {"x + 0",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::add, {x, f.literal(0.0)});
     }},
    {"x",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::add, {x, f.literal(-0.0)});
     }},
    {"x",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::subtract, {x, f.literal(0.0)});
     }},
    {"n",
     [](Builder& f, Term, Term n) {
       return f.apply(Op::add, {n, f.literal(std::int64_t{0})});
     }},
    {"x*0.125",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::divide, {x, f.literal(8.0)});
     }},
    {"x/3",
     [](Builder& f, Term x, Term) {
       return f.apply(Op::divide, {x, f.literal(3.0)});
     }},
    {"x", [](Builder& f, Term x, Term) { return f.apply(Op::negate, {f.apply(Op::negate, {x})}); }},
    {"relu(x)",
     [](Builder& f, Term x, Term) { return f.apply(Op::relu, {f.apply(Op::relu, {x})}); }},
    {"n", [](Builder& f, Term, Term n) { return f.apply(Op::floor, {n}); }},
    {"x",
     [](Builder& f, Term x, Term) { return f.cast(f.cast(x, DType::float64), DType::float32); }},
    {"float64(float16(x))",
     [](Builder& f, Term x, Term) { return f.cast(f.cast(x, DType::float16), DType::float64); }},
    {"x",
     [](Builder& f, Term x, Term n) {
       return f.apply(Op::where, {f.literal(true), x, n});
     }},
    {"n != 0",
     [](Builder& f, Term, Term n) {
       return f.apply(Op::bit_not, {f.apply(Op::equal, {n, f.literal(std::int64_t{0})})});
     }},
};

TEST(ExprSimplify, ExactRulesOnly) {
  for (const auto& test : kExactRules) {
    Builder f;
    const Term x = f.element("x", DType::float32);
    const Term n = f.tensor("n", DType::int32);
    f.output("result", test.make(f, x, n));
    const std::string seen = to_text(simplify(f.finish()));
    EXPECT_EQ(seen, test.wanted);
  }
}

TEST(ExprSerialize, RoundTripOfRandomFunctions) {
  RandomExpressions random(3);
  for (int round = 0; round < 200; ++round) {
    const Function function = random.function(15);
    EXPECT_TRUE(same(function, from_bytes(to_bytes(function)))) << to_text(function);
  }
}

/// As somebody who means harm would write it: FNV-1a over all but the last 8 bytes.
std::string with_checksum(std::string bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  bytes.resize(bytes.size() - 8);
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return bytes.append(reinterpret_cast<const char*>(&hash), 8);
}

TEST(ExprSerialize, DamagedBytesAreRefusedOrValid) {
  RandomExpressions random(5);
  const std::string bytes = to_bytes(random.function(10));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    expect_error([&] { (void)from_bytes(std::string_view(bytes).substr(0, size)); }, "expression");
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    expect_error([&] { (void)from_bytes(damaged); }, "expression");
    if (at + 8 >= bytes.size()) continue;
    try {
      validate(from_bytes(with_checksum(damaged)));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace mw::expr
