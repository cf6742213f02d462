// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dlpack.hpp"
#include "package.hpp"

namespace mw::py {

/// A view of what a DLPack tensor describes. Errors: invalid_argument (device, dtype).
[[nodiscard]] TensorRef view_of_dlpack(const dlpack::Tensor& tensor, const Who& who);

/// Reads an array by its __dlpack__; `stream` is passed on as it is.
[[nodiscard]] Adopted adopt_dlpack(nb::handle array, const Who& who, const nb::object& stream,
                                   bool writes);

class DlpackPackage final : public Package {
 public:
  explicit DlpackPackage(std::string package_name);

  Adopted adopt(nb::handle array, const Who& who, Stream consumer, bool writes) const override;
  Produced empty(const ResultSpec& spec, const Queue& queue) const override;
  nb::object finish(Produced& produced, const ResultSpec& spec, const Queue& queue) const override;
  bool any_strides() const override { return false; }

 private:
  nb::object from_dlpack_;
};

}  // namespace mw::py
