// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Where memory is and where work runs.
#pragma once

#include <cstdint>
#include <string>

#include <mathwright/export.hpp>

namespace mw {

/// The host, or one CUDA device by its ordinal.
struct Device {
  enum class Kind : std::uint8_t { cpu, cuda };

  Kind kind = Kind::cpu;
  int id = 0;

  [[nodiscard]] static constexpr Device cpu() { return {}; }
  [[nodiscard]] static constexpr Device cuda(int id = 0) { return {Kind::cuda, id}; }
  [[nodiscard]] constexpr bool is_cpu() const { return kind == Kind::cpu; }
  [[nodiscard]] constexpr bool is_cuda() const { return kind == Kind::cuda; }
  bool operator==(const Device&) const = default;
};

/// "cpu", "cuda:0".
MW_API std::string name(Device device);

/// A non-owning name for an in-order queue of device work (a CUstream or cudaStream_t).
/// The default-constructed stream is the device's legacy default stream. Host work ignores it.
struct Stream {
  void* handle = nullptr;
  bool operator==(const Stream&) const = default;
};

/// Where an operation runs. The default is the space its operands are in.
struct Execution {
  enum class Space : std::uint8_t {
    operands,  ///< where the operands are
    cpu,
    cuda,
  };

  Space space = Space::operands;
  int device_id = 0;    ///< for cuda with host operands; device operands keep their own device
  int num_threads = 0;  ///< for cpu; 0 means every CPU this process may use
};

}  // namespace mw
