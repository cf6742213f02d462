// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/copy_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

#include "base/text.hpp"
#include "runtime/cuda_device.hpp"
#include "runtime/device_program.hpp"
#include "runtime/memory.hpp"
#include "vendor/nvrtc/api.hpp"

namespace mw {

namespace {

using Way = DeviceCopyPlan::Way;

constexpr std::int64_t kThreads = 256;
constexpr std::int64_t kBlocksPerProcessor = 32;
constexpr std::int64_t kPitchedWidth =
    128;  // bytes: below, the copy engine is slower than a kernel
constexpr std::int64_t kLargestPitch = 0x7fffffff;
constexpr std::size_t kNestRank = 8;

#define MW_DEVICE_TEXT(...) #__VA_ARGS__
constexpr const char* kNestText =
#include "runtime/copy_nest.inl"
    ;
constexpr const char* kKernelText =
#include "runtime/copy_kernel.inl"
    ;
#undef MW_DEVICE_TEXT

// As in the kernel.
std::int64_t tile_side(std::size_t item) { return item < 4 ? 64 : 32; }

std::int64_t product(const Dims& extents) {
  std::int64_t size = 1;
  for (auto extent : extents) size *= extent;
  return size;
}

bool all_multiples(const Dims& values, std::int64_t of, bool but_last) {
  const auto* end = values.end() - (but_last ? 1 : 0);
  return std::all_of(values.begin(), end, [&](auto value) { return value % of == 0; });
}

std::uintptr_t address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// Elements twice as wide while everything is a multiple of two of them: fewer, larger transactions.
void widen(CopyLoops& loops, std::size_t& item) {
  LoopNest& nest = loops.nest;
  while (item < 16 && !nest.extents.empty() && nest.strides[0].back() == 1 &&
         nest.strides[1].back() == 1 && nest.extents.back() % 2 == 0 &&
         (address(loops.target) | address(loops.source)) % (2 * item) == 0 &&
         all_multiples(nest.strides[0], 2, true) && all_multiples(nest.strides[1], 2, true)) {
    for (Dims* steps : {&nest.strides[0], &nest.strides[1]}) {
      for (auto& step : *steps) step /= 2;
      steps->back() = 1;
    }
    nest.extents.back() /= 2;
    item *= 2;
  }
  if (nest.extents.size() > 1 && nest.extents.back() == 1) {
    for (Dims* list : {&nest.extents, &nest.strides[0], &nest.strides[1]}) {
      list->erase(list->size() - 1);
    }
  }
}

// Elements that are not aligned like numbers of their size become several that are.
void narrow(CopyLoops& loops, std::size_t& item) {
  std::size_t part = item;
  while ((address(loops.target) | address(loops.source)) % part != 0) part /= 2;
  if (part == item) return;
  const auto parts = static_cast<std::int64_t>(item / part);
  for (Dims* steps : {&loops.nest.strides[0], &loops.nest.strides[1]}) {
    for (auto& step : *steps) step *= parts;
    steps->push_back(1);
  }
  loops.nest.extents.push_back(parts);
  item = part;
}

// A turned copy needs a dense source axis other than the target's dense last one, both worth a
// tile. It becomes the one before the last, running forwards.
bool turn(CopyLoops& loops, std::size_t item) {
  LoopNest& nest = loops.nest;
  const std::int64_t least = tile_side(item) / 2;
  if (nest.extents.size() < 2 || nest.strides[0].back() != 1 ||
      std::abs(nest.strides[1].back()) == 1 || nest.extents.back() < least) {
    return false;
  }
  const std::size_t last = nest.extents.size() - 1;
  std::size_t axis = last;
  for (std::size_t d = 0; d < last; ++d) {
    if (std::abs(nest.strides[1][d]) == 1 && nest.extents[d] >= least) axis = d;
  }
  if (axis == last) return false;
  for (Dims* list : {&nest.extents, &nest.strides[0], &nest.strides[1]}) {
    const auto value = (*list)[axis];
    list->erase(axis);
    list->insert(last - 1, value);
  }
  if (nest.strides[1][last - 1] < 0) {
    const auto reach = (nest.extents[last - 1] - 1) * static_cast<std::int64_t>(item);
    loops.target += reach * nest.strides[0][last - 1];
    loops.source += reach * nest.strides[1][last - 1];
    nest.strides[0][last - 1] *= -1;
    nest.strides[1][last - 1] = 1;
  }
  return true;
}

bool is_dense(const LoopNest& nest) {
  return nest.extents.empty() ||
         (nest.extents.size() == 1 && nest.strides[0][0] == 1 && nest.strides[1][0] == 1);
}

bool is_pitched(const LoopNest& nest, std::int64_t item) {
  if (nest.extents.size() != 2 || nest.strides[0][1] != 1 || nest.strides[1][1] != 1) return false;
  const auto fits = [&](std::int64_t pitch) {
    return pitch >= nest.extents[1] && pitch * item <= kLargestPitch;
  };
  return fits(nest.strides[0][0]) && fits(nest.strides[1][0]);
}

std::int64_t blocks_for(const DeviceCopyPlan& plan, int device_id) {
  std::int64_t wanted = (plan.nest.size + kThreads - 1) / kThreads;
  if (plan.way == Way::turned) {
    const std::int64_t side = tile_side(plan.itemsize);
    wanted = 1;
    for (int d = 0; d < plan.nest.rank; ++d) {
      const std::int64_t extent = plan.nest.extents[d];
      wanted *= d < plan.nest.rank - 2 ? extent : (extent + side - 1) / side;
    }
  }
  return std::min(wanted, cuda_device_info(device_id).multiprocessors * kBlocksPerProcessor);
}

void pitched_copy(const DeviceCopyPlan& plan, Stream stream) {
  cuda::Memcpy2D copy;
  const auto bytes = [&](long long elements) {
    return static_cast<std::size_t>(elements) * plan.itemsize;
  };
  copy.source_type = copy.target_type = cuda::MemoryType::device;
  copy.source_device = cuda::device_ptr(plan.source);
  copy.target_device = cuda::device_ptr(plan.target);
  copy.source_pitch = bytes(plan.nest.source[0]);
  copy.target_pitch = bytes(plan.nest.target[0]);
  copy.width_bytes = bytes(plan.nest.extents[1]);
  copy.height = static_cast<std::size_t>(plan.nest.extents[0]);
  cuda::call(cuda::api().cuMemcpy2DAsync_v2, &copy, stream.handle);
}

bool narrow_index(const DeviceCopyPlan& plan) { return plan.nest.size < (std::int64_t{1} << 31); }

// The plan's kernel, found by what tells the variants apart: building the text and looking that up
// would cost more than the launch.
cuda::Kernel copy_kernel_of(const DeviceCopyPlan& plan, int device_id) {
  using Variant = std::tuple<const cuda::Api*, int, Way, std::size_t, bool, bool, bool>;
  static std::mutex& mutex = *new std::mutex;
  static auto& kernels = *new std::map<Variant, cuda::Kernel>;
  const Variant variant{&cuda::api(), device_id,       plan.way,          plan.itemsize,
                        plan.pairs,   plan.conjugates, narrow_index(plan)};
  {
    const std::lock_guard lock(mutex);
    if (const auto known = kernels.find(variant); known != kernels.end()) return known->second;
  }
  CopyProgram program = copy_program(plan);
  const cuda::Kernel kernel = device_kernel(
      device_id,
      {.source = std::move(program.source), .name = std::move(program.name), .options = {}});
  const std::lock_guard lock(mutex);
  return kernels.emplace(variant, kernel).first->second;
}

void kernel_copy(const DeviceCopyPlan& plan, int device_id, Stream stream) {
  const cuda::Kernel kernel = copy_kernel_of(plan, device_id);
  const LaunchShape shape{.blocks = blocks_for(plan, device_id), .threads = kThreads};
  const std::int64_t count = product(plan.outer);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t to = 0;
    std::int64_t from = 0;
    std::int64_t rest = i;
    for (std::size_t d = plan.outer.size(); d-- > 0; rest /= plan.outer[d]) {
      to += rest % plan.outer[d] * plan.outer_target[d];
      from += rest % plan.outer[d] * plan.outer_source[d];
    }
    const auto item = static_cast<std::int64_t>(plan.itemsize);
    launch(kernel, shape, stream, plan.target + to * item, plan.source + from * item, plan.nest);
  }
}

}  // namespace

DeviceCopyPlan plan_device_copy(const TensorRef& source, const TensorRef& target, bool conjugates,
                                bool kernels) {
  CopyLoops loops = copy_loops(source, target);
  DeviceCopyPlan plan;
  plan.conjugates = conjugates;
  plan.itemsize = itemsize(target.dtype);
  const bool aligned = (address(loops.target) | address(loops.source)) % plan.itemsize == 0;
  if (conjugates) {
    plan.pairs = !aligned;
    require((address(loops.target) | address(loops.source)) % (plan.itemsize / 2) == 0,
            ErrorKind::invalid_argument, "copy: device memory of dtype ", name(target.dtype),
            " is not aligned to its real part; align the operand.");
  }
  plan.way = Way::any;
  if (!conjugates && is_dense(loops.nest)) plan.way = Way::dense;
  const auto item = static_cast<std::int64_t>(plan.itemsize);
  if (!conjugates && is_pitched(loops.nest, item) &&
      (!kernels || loops.nest.extents[1] * item >= kPitchedWidth)) {
    plan.way = Way::pitched;
  }
  if (plan.way == Way::any) {
    if (!conjugates) narrow(loops, plan.itemsize);
    if (turn(loops, plan.itemsize)) {
      plan.way = Way::turned;
    } else if (!conjugates) {
      widen(loops, plan.itemsize);
    }
  }
  plan.target = loops.target;
  plan.source = loops.source;

  const LoopNest& nest = loops.nest;
  const std::size_t rank = nest.extents.size();
  const std::size_t outer = rank - std::min(rank, kNestRank);
  plan.nest.size = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    if (d < outer) {
      plan.outer.push_back(nest.extents[d]);
      plan.outer_target.push_back(nest.strides[0][d]);
      plan.outer_source.push_back(nest.strides[1][d]);
      continue;
    }
    plan.nest.extents[d - outer] = nest.extents[d];
    plan.nest.target[d - outer] = nest.strides[0][d];
    plan.nest.source[d - outer] = nest.strides[1][d];
    plan.nest.size *= nest.extents[d];
  }
  plan.nest.rank = static_cast<int>(rank - outer);
  return plan;
}

CopyProgram copy_program(const DeviceCopyPlan& plan) {
  struct Row {
    std::size_t itemsize;
    bool pairs;
    const char* element;
    const char* conjugate;
  };
  static constexpr Row kRows[] = {
      {1, false, "unsigned char", ""},
      {2, false, "unsigned short", ""},
      {4, false, "unsigned", "FlipUpper"},
      {8, false, "unsigned long long", "FlipUpper"},
      {16, false, "Wide", "FlipSecond"},
      {4, true, "Pair<unsigned short>", "FlipSecond"},
      {8, true, "Pair<unsigned>", "FlipSecond"},
      {16, true, "Pair<unsigned long long>", "FlipSecond"},
  };
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return r.itemsize == plan.itemsize && r.pairs == plan.pairs;
  });
  const bool narrow = narrow_index(plan);
  const char* kind = plan.way == Way::turned ? "copy_turned" : "copy_any";
  CopyProgram program;
  program.name = text("mathwright_", kind, plan.itemsize, plan.pairs ? "_pair" : "",
                      plan.conjugates ? "_conj" : "", narrow ? "_32" : "_64");
  program.source = text(
      kNestText, '\n', kKernelText, "\nextern \"C\" __global__ void __launch_bounds__(", kThreads,
      ") ", program.name, "(", row->element, "* target, const ", row->element,
      "* source, CopyNest nest) {\n  ", kind, "<", row->element, ", ",
      narrow ? "unsigned" : "unsigned long long", ", ", plan.conjugates ? row->conjugate : "Same",
      "<", row->element, ">>(target, source, nest);\n}\n");
  return program;
}

void copy_within_device(const TensorRef& source, const TensorRef& target, bool conjugates,
                        Stream stream) {
  const int device_id = target.device.id;
  const CudaScope scope(device_id);
  const DeviceCopyPlan plan =
      plan_device_copy(source, target, conjugates, static_cast<bool>(nvrtc::load()));
  if (plan.way == Way::dense) {
    cuda::call(cuda::api().cuMemcpyDtoDAsync_v2, cuda::device_ptr(plan.target),
               cuda::device_ptr(plan.source),
               static_cast<std::size_t>(plan.nest.size) * plan.itemsize, stream.handle);
  } else if (plan.way == Way::pitched) {
    pitched_copy(plan, stream);
  } else {
    kernel_copy(plan, device_id, stream);
  }
}

Outcome<bool> can_copy_within_device(const TensorRef& source, const TensorRef& target,
                                     bool conjugates) {
  if (const auto driver = cuda::load(); !driver) return driver.refusal();
  const DeviceCopyPlan plan =
      plan_device_copy(source, target, conjugates, static_cast<bool>(nvrtc::load()));
  if (plan.way == Way::dense || plan.way == Way::pitched) return true;
  if (const auto compiler = nvrtc::load(); !compiler) {
    return Refusal{"copy", text("a strided copy on a device is compiled by NVRTC, and ",
                                compiler.refusal().reason)};
  }
  return true;
}

void fill_zero_device(const TensorRef& target, Stream stream) {
  const CudaScope scope(target.device.id);
  const cuda::Api& api = cuda::api();
  CopyLoops loops = copy_loops(target, target);
  LoopNest& nest = loops.nest;
  const auto item = static_cast<std::int64_t>(itemsize(target.dtype));
  if (is_dense(nest)) {
    cuda::call(api.cuMemsetD8Async, cuda::device_ptr(loops.target), static_cast<unsigned char>(0),
               static_cast<std::size_t>(product(nest.extents) * item), stream.handle);
    return;
  }
  // Rectangles of bytes: rows are the last axis if it is dense, single elements if it is not.
  if (nest.strides[0].back() != 1) {
    nest.extents.push_back(1);
    nest.strides[0].push_back(1);
  }
  const std::size_t last = nest.extents.size() - 1;
  const std::int64_t outer = product(nest.extents) / nest.extents[last] / nest.extents[last - 1];
  for (std::int64_t i = 0; i < outer; ++i) {
    std::int64_t at = 0;
    std::int64_t rest = i;
    for (std::size_t d = last - 1; d-- > 0; rest /= nest.extents[d]) {
      at += rest % nest.extents[d] * nest.strides[0][d];
    }
    cuda::call(api.cuMemsetD2D8Async, cuda::device_ptr(loops.target + at * item),
               static_cast<std::size_t>(nest.strides[0][last - 1] * item),
               static_cast<unsigned char>(0), static_cast<std::size_t>(nest.extents[last] * item),
               static_cast<std::size_t>(nest.extents[last - 1]), stream.handle);
  }
}

}  // namespace mw
