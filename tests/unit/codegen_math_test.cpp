// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The transcendental functions against the C library in a wider type, in units of the last place
// over all kinds of arguments: every 997th float32, random float64 of every exponent, and what is
// special.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "codegen/host.hpp"
#include "codegen/math.hpp"

namespace mw::codegen {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Formula2 = std::function<Value(Builder&, Value, Value)>;

/// y = f(x, z) over arrays, by the interpreter.
template <class T>
class Kernel2 {
 public:
  explicit Kernel2(const Formula2& formula) {
    Builder b("math", host_target(HostBackend::interpreter));
    constexpr DType type = dtype_of<T>;
    const int x = b.pointer("x"), z = b.pointer("z"), y = b.pointer("y");
    const Value n = b.integer("n");
    const Value i = b.begin_for(b.constant_integer(0), n, b.constant_integer(b.target().lanes));
    const Value left = b.sub(n, i);
    const auto load = [&](int p) {
      return b.load({.pointer = p, .memory = type, .offset = i, .count = left}, true);
    };
    b.store({.pointer = y, .memory = type, .offset = i, .count = left},
            formula(b, load(x), load(z)));
    b.end_for();
    kernel_ = interpret(b.finish(), "test");
  }
  std::vector<T> operator()(const std::vector<T>& x, const std::vector<T>& z) const {
    std::vector<T> y(x.size());
    void* pointers[] = {const_cast<T*>(x.data()), const_cast<T*>(z.data()), y.data()};
    const auto n = static_cast<std::int64_t>(x.size());
    kernel_->run(pointers, &n, nullptr);
    return y;
  }

 private:
  HostKernelPtr kernel_;
};

/// Distance in units of the last place that T has at the true value.
template <class T>
double ulps(T value, long double truth) {
  if (std::isnan(truth)) return std::isnan(value) ? 0 : kInf;
  const T rounded = static_cast<T>(truth);
  if (value == rounded) return std::signbit(value) == std::signbit(rounded) ? 0 : kInf;
  if (std::isnan(value)) return kInf;
  constexpr T kMost = std::numeric_limits<T>::max();
  // Next to the largest number, infinity counts as one step further.
  const auto finite = [&](long double v) {
    return std::isinf(v)
               ? std::copysign(
                     static_cast<long double>(kMost) * (1 + std::numeric_limits<T>::epsilon()), v)
               : v;
  };
  const T below = std::min(std::abs(rounded), kMost);
  const long double unit =
      std::max<long double>(static_cast<long double>(below) - std::nextafter(below, T(0)),
                            std::numeric_limits<T>::denorm_min());
  return static_cast<double>(std::abs(finite(static_cast<long double>(value)) -
                                      finite(std::isinf(rounded) ? kInf * truth : truth)) /
                             unit);
}

std::vector<float> float_sweep() {
  std::vector<float> x = {0.0f,          -0.0f,       1.0f,        -1.0f,       float(kInf),
                          -float(kInf),  float(kNan), 1e-45f,      -1e-45f,     1.17549435e-38f,
                          3.4028235e38f, 88.72283f,   88.72284f,   -103.97f,    -104.1f,
                          0.5625f,       0.875f,      0.70710677f, 0.70710683f, 1.4142135f,
                          65536.0f,      65537.0f};
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 997 * 8) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (int i = -4000; i < 4000; ++i) x.push_back(static_cast<float>(i) * 0.0311f);
  return x;
}

std::vector<double> double_sweep() {
  std::vector<double> x = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           kInf,
                           -kInf,
                           kNan,
                           5e-324,
                           -5e-324,
                           2.2250738585072014e-308,
                           1.7976931348623157e308,
                           709.782712893384,
                           709.7827128933841,
                           -745.13321910194122,
                           -745.14,
                           0.5625,
                           0.875,
                           M_SQRT1_2,
                           M_SQRT2,
                           M_PI,
                           0x1p27,
                           0x1p28};
  std::mt19937_64 random(7);
  for (int i = 0; i < 60000; ++i) x.push_back(std::bit_cast<double>(random()));
  std::uniform_real_distribution<double> near(-30, 30);
  for (int i = 0; i < 60000; ++i) x.push_back(near(random));
  std::uniform_real_distribution<double> far(-760, 760);
  for (int i = 0; i < 20000; ++i) x.push_back(far(random));
  for (int i = 0; i < 20000; ++i) x.push_back(1 + near(random) / 60);
  return x;
}

using Truth = std::function<long double(long double, long double)>;

template <class T>
void compare(const Formula2& formula, const Truth& truth, const std::vector<T>& x,
             const std::vector<T>& z, double bound) {
  const std::vector<T> y = Kernel2<T>(formula)(x, z);
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], truth(x[i], z[i]));
    if (error > worst) worst = error, where = i;
  }
  ::testing::Test::RecordProperty("ulp", std::to_string(worst));
  if (std::getenv("MW_SHOW_ULP") != nullptr) {
    std::printf("%-24s %zu bytes: %.3f ulp at %a\n",
                ::testing::UnitTest::GetInstance()->current_test_info()->name(), sizeof(T), worst,
                double(x[where]));
  }
  EXPECT_LE(worst, bound) << "f(" << std::hexfloat << x[where] << ", " << z[where]
                          << ") = " << y[where] << ", wanted "
                          << static_cast<T>(truth(x[where], z[where]));
}

void check_function(MathCall call, const Truth& truth, double bound = 2) {
  const Formula2 formula = [&](Builder& b, Value x, Value) { return math(b, call, x); };
  const auto x32 = float_sweep();
  compare<float>(
      formula, [&](long double x, long double) { return truth(double(x), 0); }, x32, x32, bound);
  const auto x64 = double_sweep();
  compare<double>(formula, truth, x64, x64, bound);
}

TEST(CodegenMath, Exp) {
  check_function(
      MathCall::exp, [](long double x, long double) { return std::exp(x); }, 1);
}
TEST(CodegenMath, Expm1) {
  check_function(MathCall::expm1, [](long double x, long double) { return std::expm1(x); });
}
TEST(CodegenMath, Log) {
  check_function(
      MathCall::log, [](long double x, long double) { return std::log(x); }, 1);
}
TEST(CodegenMath, Log1p) {
  check_function(MathCall::log1p, [](long double x, long double) { return std::log1p(x); });
}
TEST(CodegenMath, Sin) {
  check_function(MathCall::sin, [](long double x, long double) { return std::sin(x); });
}
TEST(CodegenMath, Cos) {
  check_function(MathCall::cos, [](long double x, long double) { return std::cos(x); });
}
TEST(CodegenMath, Tanh) {
  check_function(MathCall::tanh, [](long double x, long double) { return std::tanh(x); });
}
TEST(CodegenMath, Erf) {
  check_function(MathCall::erf, [](long double x, long double) { return std::erf(x); });
}
TEST(CodegenMath, Rsqrt) {
  check_function(MathCall::rsqrt, [](long double x, long double) { return 1 / std::sqrt(x); });
}

TEST(CodegenMath, TwiceNormalCdfIsAccurateInItsTail) {
  const Formula2 formula = [](Builder& b, Value x, Value) { return twice_normal_cdf(b, x); };
  const Truth truth = [](long double x, long double) { return std::erfc(-x / sqrtl(2)); };
  const auto x32 = float_sweep();
  compare<float>(formula, truth, x32, x32, 4);
  const auto x64 = double_sweep();
  compare<double>(formula, truth, x64, x64, 4);
}

/// Every pair of special numbers, and pairs whose power is a number.
template <class T>
void check_power() {
  std::vector<T> x, z;
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       1,
                                       -1,
                                       2,
                                       -2,
                                       3,
                                       -3,
                                       0.5,
                                       -0.5,
                                       1.5,
                                       -1.5,
                                       kInf,
                                       -kInf,
                                       kNan,
                                       1e30,
                                       -1e30,
                                       1e-30,
                                       std::numeric_limits<T>::denorm_min(),
                                       std::numeric_limits<T>::max(),
                                       9007199254740991.0,
                                       4503599627370497.0,
                                       16777215.0,
                                       1 + std::numeric_limits<T>::epsilon(),
                                       1 - std::numeric_limits<T>::epsilon()};
  for (const double a : special) {
    for (const double b : special) x.push_back(static_cast<T>(a)), z.push_back(static_cast<T>(b));
  }
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-1, 1), power(-20, 20);
  const double range = std::numeric_limits<T>::max_exponent10;
  for (int i = 0; i < 100000; ++i) {
    const double p = power(random);
    z.push_back(static_cast<T>(p));
    x.push_back(
        static_cast<T>(std::pow(10, exponent(random) * range / std::max(1.0, std::abs(p) * 0.95))));
    if (i % 4 == 0) z.back() = std::round(z.back()), x.back() = -x.back();
    if (i % 4 == 1) {  // bases near 1, large exponents
      x.back() = static_cast<T>(1 + exponent(random) * 1e-4);
      z.back() = static_cast<T>(p * 1e5);
    }
  }
  compare<T>([](Builder& b, Value a, Value p) { return math(b, MathCall::pow, a, p); },
             [](long double a, long double p) { return std::pow(a, p); }, x, z, 2);
}
TEST(CodegenMath, PowOfFloat) { check_power<float>(); }
TEST(CodegenMath, PowOfDouble) { check_power<double>(); }

}  // namespace
}  // namespace mw::codegen
