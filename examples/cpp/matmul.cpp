// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// D = α·A·B + β·C, once and many times.
#include <iostream>
#include <vector>

#include <mathwright/mathwright.hpp>

int main() {
  try {
    std::vector<float> a(300 * 40, 1.0F);
    std::vector<float> b(40 * 20, 2.0F);
    std::vector<float> bias(20, 3.0F);

    // A view of a bias row as a 300×20 matrix: its first axis has stride 0, so nothing is copied.
    const mw::TensorRef c(bias.data(), mw::DType::float32, {300, 20}, {0, 1});

    // One call. The result owns its memory. Every element is 0.5·(40·1·2) + 1·3 = 43.
    const mw::Tensor d = mw::matmul({.a = {a.data(), {300, 40}}, .b = {b.data(), {40, 20}}, .c = c},
                                    {.alpha = 0.5, .beta = 1.0});
    std::cout << "d[0] = " << d.span<float>()[0] << ", 43 is right\n";

    // Planned: chosen once, executed often, into the same memory.
    std::vector<float> out(300 * 20);
    mw::Matmul product({.a = {a.data(), {300, 40}},
                        .b = {b.data(), {40, 20}},
                        .out = mw::TensorRef(out.data(), {300, 20})});
    product.plan();
    for (int step = 0; step < 100; ++step) product.execute();
    std::cout << product.explain();
    return d.span<float>()[0] == 43.0F && out[0] == 80.0F ? 0 : 1;
  } catch (const mw::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
