// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Written by tools/minimax.py; do not edit. Coefficients from the constant one up, and the bound of
// the relative error of the function they are part of.
#pragma once

namespace mw::codegen::tables {

// ln 2 as a sum: the first times any exponent is exact.
inline constexpr float kLn2_32[] = {0x1.62e4000000000p-1f, 0x1.7f7d1c0000000p-20f};
// π/2 as a sum.
inline constexpr float kHalfPi32[] = {0x1.921fb60000000p+0f, -0x1.777a5c0000000p-25f,
                                      -0x1.ee59da0000000p-50f};
// ln 2 as a sum: the first times any exponent is exact.
inline constexpr double kLn2_64[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
// π/2 as a sum.
inline constexpr double kHalfPi64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                       -0x1.f1976b7ed8fbcp-110};
// 2/3 as a sum.
inline constexpr double kTwoThirds64[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
// exp(r) = 1 + r + r²·P(r), |r| ≤ ln2/2; of expm1: 0.234 · 2^-24
inline constexpr float kExp32[] = {0x1.0000000000000p-1f, 0x1.5554aa0000000p-3f,
                                   0x1.5555380000000p-5f, 0x1.122c500000000p-7f,
                                   0x1.6cd7ce0000000p-10f};
// log((1+s)/(1-s)) = 2·s + s³·P(s²), |s| ≤ 0.1716: 0.0136 · 2^-24
inline constexpr float kLog32[] = {0x1.55557a0000000p-1f, 0x1.995ed40000000p-2f,
                                   0x1.31e0da0000000p-2f};
// sin(r) = r + r³·P(r²), |r| ≤ π/4: 0.0666 · 2^-24
inline constexpr float kSin32[] = {-0x1.5555460000000p-3f, 0x1.1107780000000p-7f,
                                   -0x1.9954000000000p-13f};
// cos(r) = 1 - r²/2 + r⁴·P(r²), |r| ≤ π/4: 0.00197 · 2^-24
inline constexpr float kCos32[] = {0x1.55554a0000000p-5f, -0x1.6c0c280000000p-10f,
                                   0x1.99e80c0000000p-16f};
// tanh(x) = x + x³·P(x²), |x| ≤ 0.5625: 0.0241 · 2^-24
inline constexpr float kTanh32[] = {-0x1.5555480000000p-2f, 0x1.110c5e0000000p-3f,
                                    -0x1.b905c40000000p-5f, 0x1.5812de0000000p-6f,
                                    -0x1.9462cc0000000p-8f};
// erf(x) = x + x·P(x²), |x| ≤ 0.875: 0.241 · 2^-24
inline constexpr float kErf32[] = {0x1.06eba60000000p-3f, -0x1.8126ec0000000p-2f,
                                   0x1.ce1b860000000p-4f, -0x1.b69b8e0000000p-6f,
                                   0x1.479c180000000p-8f, -0x1.3ba5a40000000p-11f};
// erfc(t) = exp(-t²)·P(u)/(t + 3), u = (t - 3)/(t + 3), 0.875 ≤ t ≤ 10.2: 0.209 · 2^-24
inline constexpr float kErfTail32[] = {
    0x1.12f21e0000000p+0f,   -0x1.c44c420000000p-1f, 0x1.2e32480000000p-1f,
    -0x1.3dec800000000p-2f,  0x1.e9a89e0000000p-4f,  -0x1.b6b2580000000p-6f,
    -0x1.58bb440000000p-10f, 0x1.738dca0000000p-9f,  -0x1.609c820000000p-12f};
// exp(r) = 1 + r + r²·P(r), |r| ≤ ln2/2; of expm1: 0.0029 · 2^-53
inline constexpr double kExp64[] = {
    0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.5555555555556p-5,  0x1.111111110f65fp-7,
    0x1.6c16c16c15a09p-10, 0x1.a01a01aff1ecep-13, 0x1.a01a01ad87b49p-16, 0x1.71ddf8559b440p-19,
    0x1.27e4c4414c2c6p-22, 0x1.af5e95fc03325p-26, 0x1.1fa37d09fb449p-29};
// log((1+s)/(1-s)) = 2·s + s³·P(s²), |s| ≤ 0.1716: 0.0111 · 2^-53
inline constexpr double kLog64[] = {
    0x1.5555555555592p-1, 0x1.999999997feedp-2, 0x1.24924941e5446p-2, 0x1.c71c521039beep-3,
    0x1.74663dea37e8cp-3, 0x1.39a1cc0adf91ap-3, 0x1.2f04f8e604d40p-3};
// sin(r) = r + r³·P(r²), |r| ≤ π/4: 0.0338 · 2^-53
inline constexpr double kSin64[] = {-0x1.5555555555548p-3,  0x1.111111110f730p-7,
                                    -0x1.a01a019be9218p-13, 0x1.71de35552b47ep-19,
                                    -0x1.ae5e4b83baeaap-26, 0x1.5d8b557e80fa7p-33};
// cos(r) = 1 - r²/2 + r⁴·P(r²), |r| ≤ π/4: 0.000511 · 2^-53
inline constexpr double kCos64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15014p-10,
                                    0x1.a01a019c8ef72p-16, -0x1.27e4f7f1631b8p-22,
                                    0x1.1ee9dba8222fcp-29, -0x1.8fa66d0e7272ap-37};
// tanh(x) = x + x³·P(x²), |x| ≤ 0.5625: 0.00895 · 2^-53
inline constexpr double kTanh64[] = {
    -0x1.555555555554bp-2,  0x1.1111111110247p-3,  -0x1.ba1ba1b92fbcfp-5,  0x1.664f4847fe2eap-6,
    -0x1.226e2cd7507a2p-7,  0x1.d6d240efb186ep-9,  -0x1.7d8b424ce32e7p-10, 0x1.345e0cc0dea83p-11,
    -0x1.e7f07f626bf89p-13, 0x1.59296b5857fbfp-14, -0x1.3c781d1ecf784p-16};
// erf(x) = x + x·P(x²), |x| ≤ 0.875: 0.1 · 2^-53
inline constexpr double kErf64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b037a2bp-2,  0x1.ce2f21a0461d3p-4,  -0x1.b82ce31393430p-6,
    0x1.565bcd38abe64p-8,  -0x1.c02dbbcf3210bp-11, 0x1.f9a40c70fd018p-14, -0x1.f4e32538e5cc2p-17,
    0x1.baad678d44aa8p-20, -0x1.64eff8af3dfa5p-23, 0x1.11bf1343ff6ccp-26, -0x1.63a1ba677ea3dp-30};
// erfc(t) = exp(-t²)·P(u)/(t + 2), u = (t - 2)/(t + 2), 0.875 ≤ t ≤ 27.5: 0.28 · 2^-53
inline constexpr double kErfTail64[] = {
    0x1.058671b52c776p+0,   -0x1.5fd386754eff5p-1,  0x1.1e2deea6b112fp-2,   -0x1.2a88e6107d533p-5,
    -0x1.606e41551f358p-6,  0x1.a89eaff647835p-8,   0x1.9517bb7dd1ba2p-9,   -0x1.b6fbf73d2ab46p-11,
    -0x1.5ba445aa4b732p-11, 0x1.2052a67f08390p-15,  0x1.2efe0c99edb84p-13,  0x1.1e6df6a115104p-15,
    -0x1.6cf95830f84bap-16, -0x1.0ca82ef826a47p-16, -0x1.0496515343770p-20, 0x1.9323beade7be9p-19,
    0x1.3be63af381b10p-19,  0x1.18ca1199becbcp-20,  -0x1.48f42efd20a65p-19, 0x1.86f3c8ea86667p-21};
// as kLog, for pow of float32: 267.0 · 2^-53
inline constexpr double kLogPow32[] = {0x1.555555561e62ap-1, 0x1.999996a8f02ffp-2,
                                       0x1.2494121668566p-2, 0x1.c62b069e86451p-3,
                                       0x1.911664eb89ac0p-3};
// as kExp, for pow of float32: 4.73e+4 · 2^-53
inline constexpr double kExpPow32[] = {
    0x1.fffffffff4620p-2,  0x1.5555557386b38p-3,  0x1.5555557d01225p-5, 0x1.1110b1c5413bcp-7,
    0x1.6c1638aa4c8dep-10, 0x1.a16fef1183635p-13, 0x1.a1758f65e014dp-16};
// log((1+s)/(1-s)) = 2·s + 2/3·s³ + s⁵·P(s²): 9.84e-7 · 2^-53
inline constexpr double kLogPow64[] = {
    0x1.9999999999997p-2, 0x1.2492492492d40p-2, 0x1.c71c71c5cadf2p-3, 0x1.745d18143ece8p-3,
    0x1.3b13698ca3b79p-3, 0x1.111fd324076a3p-3, 0x1.de5292433e9efp-4, 0x1.ea2f5043dc139p-4};

}  // namespace mw::codegen::tables
