// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/interpreter.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "base/text.hpp"
#include "runtime/simd.hpp"

namespace mw::codegen {

namespace {

using namespace interpreter;

/// Memory of a thread for the values of whatever kernel it runs; grows to the largest.
class Arena {
 public:
  static std::byte* of_this_thread(std::size_t bytes) {
    static thread_local Arena arena;
    if (arena.bytes_ < bytes) {
      arena.memory_.reset(static_cast<std::byte*>(::operator new(bytes, kAlign)));
      arena.bytes_ = bytes;
    }
    return arena.memory_.get();
  }

 private:
  static constexpr std::align_val_t kAlign{4096};
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlign); }
  };
  std::unique_ptr<std::byte, Delete> memory_;
  std::size_t bytes_ = 0;
};

std::int64_t& number(const Frame& frame, std::uint32_t place) {
  return *reinterpret_cast<std::int64_t*>(frame.arena + place);
}

/// The step after a structural one.
std::size_t follow(const Step& step, const Frame& frame, std::size_t here) {
  switch (step.kind) {
    case StepKind::for_begin: {
      const std::int64_t first = number(frame, step.in[0]);
      number(frame, step.out) = first;
      return first < number(frame, step.in[1]) ? here + 1 : std::size_t(step.jump);
    }
    case StepKind::for_end: {
      std::int64_t& variable = number(frame, step.out);
      variable += number(frame, step.in[2]);
      return variable < number(frame, step.in[1]) ? std::size_t(step.jump) : here + 1;
    }
    case StepKind::if_begin:
      return frame.arena[step.in[0]] != std::byte(0) ? here + 1 : std::size_t(step.jump);
    case StepKind::jump: return std::size_t(step.jump);
    case StepKind::loop: break;
  }
  return here + 1;
}

class InterpretedKernel final : public HostKernel {
 public:
  InterpretedKernel(Kernel kernel, std::string why)
      : kernel_(std::move(kernel)), why_(std::move(why)), program_(decode(kernel_)) {}

  void run(void* const* pointers, const std::int64_t* integers,
           const double* scalars) const override {
    const Frame frame = {Arena::of_this_thread(program_.arena_bytes), pointers, integers, scalars};
    std::memcpy(frame.arena, program_.image.data(), program_.image.size());
    for (std::size_t i = 0; i < program_.steps.size();) {
      const Step& step = program_.steps[i];
      if (step.kind == StepKind::loop) {
        step.loop(step, frame);
        ++i;
      } else {
        i = follow(step, frame, i);
      }
    }
    if (program_.streams) stream_fence();
  }

  [[nodiscard]] std::string describe() const override {
    return text("interpreter (", why_, "), ", kernel_.lanes, " lanes, ", program_.steps.size(),
                " steps, ", human_bytes(static_cast<double>(program_.arena_bytes)));
  }
  [[nodiscard]] const Kernel& kernel() const override { return kernel_; }

 private:
  Kernel kernel_;
  std::string why_;
  Program program_;
};

}  // namespace

HostKernelPtr interpret(Kernel kernel, std::string why) {
  check(kernel);
  return std::make_shared<InterpretedKernel>(std::move(kernel), std::move(why));
}

}  // namespace mw::codegen
