// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/cuda_program.hpp"

#include <bit>
#include <cstring>

#include "base/text.hpp"
#include "codegen/device_function.hpp"
#include "codegen/lower.hpp"
#include "ops/matmul/fused_passes.hpp"
#include "ops/matmul/gemm_form.hpp"
#include "ops/matmul/implementations.hpp"
#include "runtime/cuda_device.hpp"

namespace mw::matmul_impl {

namespace {

using codegen::DeviceArray;

/// Strides of an operand with all batch axes as one.
struct Steps {
  std::int64_t batch = 0, row = 0, column = 0;
};

/// Nothing if the batch axes are not one for this operand.
std::optional<Steps> steps_of(const OperandLayout& operand) {
  Steps steps;
  std::tie(steps.row, steps.column) = matmul_impl::steps(operand);
  std::int64_t extent = 1;
  for (std::size_t axis = operand.shape.size() - 2; axis-- > 0;) {
    if (operand.shape[axis] == 1) continue;
    if (extent == 1) {
      steps.batch = operand.strides[axis];
    } else if (operand.strides[axis] != steps.batch * extent) {
      return std::nullopt;
    }
    extent *= operand.shape[axis];
  }
  return steps;
}

/// Elements that one access may move along a row of `extent` elements.
int vector_of(const OperandLayout& operand, const Steps& steps, std::int64_t extent) {
  const auto size = static_cast<std::int64_t>(itemsize(operand.dtype));
  if (steps.column != 1) return 1;
  std::int64_t vector = std::max<std::int64_t>(16 / size, 1);
  const auto fits = [&](std::int64_t v) {
    return extent % v == 0 && steps.row % v == 0 && steps.batch % v == 0 &&
           operand.alignment >= v * size;
  };
  while (vector > 1 && !fits(vector)) vector /= 2;
  return static_cast<int>(vector);
}

DeviceArray device_array(const OperandLayout& operand, const Steps& steps, std::int64_t n) {
  DeviceArray array{.dtype = operand.dtype};
  array.rows = steps.row != 0;
  array.columns = steps.column == 1   ? DeviceArray::Columns::unit
                  : steps.column == 0 ? DeviceArray::Columns::repeated
                                      : DeviceArray::Columns::strided;
  array.vector = vector_of(operand, steps, n);
  array.dense = steps.row == n;
  return array;
}

std::optional<Refusal> dtype_refusal(const MatmulProblem& problem) {
  constexpr DType kOperands[] = {DType::float32,  DType::float64,   DType::float16,
                                 DType::bfloat16, DType::complex64, DType::complex128};
  const DType dtype = problem.a().dtype;
  if (std::ranges::find(kOperands, dtype) == std::end(kOperands) || problem.b().dtype != dtype) {
    return refuse("no arithmetic for dtypes ", dtype, " and ", problem.b().dtype);
  }
  for (const auto& operand : problem.operands) {
    if (operand.conjugate) return refuse("no conjugation");
    if (!operand.aligned_to_element()) return refuse("aligned elements only");
    if (is_complex(operand.dtype) &&
        operand.alignment < std::min<std::size_t>(itemsize(operand.dtype), 16)) {
      return refuse("complex numbers aligned to their size only");
    }
  }
  return std::nullopt;
}

std::optional<Refusal> epilog_refusal(const MatmulProblem& problem) {
  if (auto why = pointwise_refusal(problem)) return why;
  for (std::size_t i = 2; i < problem.operands.size(); ++i) {
    if (problem.operands[i].shape != problem.d().shape) return refuse("arrays of D's shape only");
  }
  if (!problem.epilog) return std::nullopt;
  for (const auto& node : problem.epilog->nodes) {
    if (node.op == expr::Op::index && node.integer < -2 && problem.batch_rank() > 1) {
      return refuse("no indices along several batch axes");
    }
  }
  return std::nullopt;
}

bool allows_tf32(MatmulCompute compute) {
  return compute == MatmulCompute::f32_fast_tf32 || compute == MatmulCompute::f32_fast_16f ||
         compute == MatmulCompute::f32_fast_16bf;
}

/// C as the templates take it: by rows, of the operands' class.
bool takes_c(const MatmulProblem& problem, const Steps& steps) {
  return (steps.column == 1 || problem.n() == 1) &&
         matmul_cuda::type_name(problem.c().dtype) != nullptr &&
         is_complex(problem.c().dtype) == is_complex(problem.a().dtype) &&
         dtype_class(problem.c().dtype) == dtype_class(problem.a().dtype);
}

class FormMaker {
 public:
  FormMaker(const ByRows& rows, const CudaTraits& traits, Fetch fetch)
      : rows_(rows), problem_(rows.problem), traits_(traits), by_map_(fetch == Fetch::by_map) {}

  std::variant<CudaForm, Refusal, Relayout> run() {
    if (auto why = dtype_refusal(problem_)) return *std::move(why);
    if (auto why = epilog_refusal(problem_)) return *std::move(why);
    for (const auto& operand : problem_.operands) {
      const auto steps = steps_of(operand);
      if (!steps) return refuse("batch axes that are one for every operand only");
      steps_.push_back(*steps);
    }
    if (problem_.k() == 0) return refuse("no empty sums");
    if (by_map_) {
      if (auto why = describe_maps()) return *std::move(why);
    } else if (steps_[0].column != 1 && problem_.k() > 1) {
      return relayout_of_a();
    }
    native_c_ = problem_.has_c && takes_c(problem_, steps_[2]);
    describe_shape();
    write_scales();
    return with_epilog();
  }

 private:
  Relayout relayout_of_a() const {
    const auto swap_axes = [](OperandLayout layout) {
      const std::size_t rank = layout.shape.size();
      std::swap(layout.shape[rank - 1], layout.shape[rank - 2]);
      std::swap(layout.strides[rank - 1], layout.strides[rank - 2]);
      return layout;
    };
    OperandLayout wanted =
        rows_.turned ? swap_axes(rows_first(swap_axes(rows_.wide))) : rows_first(rows_.wide);
    return {.reason = "the wide operand is taken along k",
            .entries = {{rows_.given(0), std::move(wanted)}}};
  }

  /// Maps want one unit stride, the others multiples of 16 bytes; axes from the fastest one on.
  std::optional<Refusal> describe_maps() {
    matmul_cuda::WarpgroupArguments own{};
    own.n = problem_.n();
    own.k = problem_.k();
    for (std::size_t i = 0; i < 2; ++i) {
      const OperandLayout& operand = problem_.operands[i];
      const auto size = static_cast<std::int64_t>(itemsize(operand.dtype));
      const auto [rows, columns] =
          std::pair(i == 0 ? problem_.m() : problem_.k(), i == 0 ? problem_.k() : problem_.n());
      auto order = stored(operand, true);
      if (!order) order = stored(operand, false);
      const std::int64_t ld = order ? order->ld * size : 0;
      const std::int64_t step = steps_[i].batch * size;
      constexpr std::int64_t kUnit = 16, kMostStride = std::int64_t{1} << 40;
      if (!order || ld % kUnit != 0 || step % kUnit != 0 || step < 0 || operand.alignment < kUnit ||
          std::max(ld, step) >= kMostStride) {
        return refuse("rows or columns of A and B without gaps inside, beginning at multiples of ",
                      kUnit, " bytes, only");
      }
      const bool own_products = problem_.batch() > 1 && step != 0;
      const auto extents = order->by_rows ? std::pair(columns, rows) : std::pair(rows, columns);
      (i == 0 ? own.products_a : own.products_b) = own_products ? 1 : 0;
      form_.maps.push_back(
          {.word = i * kTensorMapWords,
           .operand = rows_.given(i),
           .by_k = order->by_rows == (i == 0),
           .shape = {.type = operand.dtype == DType::float16 ? cuda::TensorMapType::float16
                                                             : cuda::TensorMapType::bfloat16,
                     .extents = {static_cast<std::uint64_t>(extents.first),
                                 static_cast<std::uint64_t>(extents.second),
                                 static_cast<std::uint64_t>(own_products ? problem_.batch() : 1)},
                     .strides = {static_cast<std::uint64_t>(ld),
                                 static_cast<std::uint64_t>(own_products ? step : ld)}}});
    }
    std::memcpy(form_.words.data(), &own, sizeof own);
    words_ = sizeof own / 8;
    return std::nullopt;
  }

  void describe_shape() {
    matmul_cuda::Shape& s = form_.shape;
    s.operand = problem_.a().dtype;
    s.has_c = native_c_;
    s.c = native_c_ ? problem_.c().dtype : problem_.d().dtype;
    if (matmul_cuda::type_name(s.c) == nullptr) s.c = s.operand;
    s.tf32 = allows_tf32(problem_.compute);
    s.m = problem_.m();
    s.n = problem_.n();
    s.k = problem_.k();
    s.count = problem_.batch();
    s.vec_a = vector_of(problem_.a(), steps_[0], s.k);
    s.vec_b = vector_of(problem_.b(), steps_[1], s.n);
    s.vec_c = native_c_ ? vector_of(problem_.c(), steps_[2], s.n) : 1;
    s.dense_a = steps_[0].row == s.k;
    s.dense_c = native_c_ && steps_[2].row == s.n;
    s.capability = traits_.capability;
    s.multiprocessors =
        problem_.multiprocessors > 0 ? problem_.multiprocessors : traits_.multiprocessors;
    const Steps c = native_c_ ? steps_[2] : Steps{};
    const matmul_cuda::Arguments arguments{
        nullptr,         nullptr,         nullptr,          s.m,
        steps_[0].row,   steps_[1].row,   steps_[1].column, c.row,
        steps_[0].batch, steps_[1].batch, c.batch,          s.count};
    form_.arguments_word = words_;
    std::memcpy(&form_.words[words_], &arguments, sizeof arguments);
    form_.addresses = {{words_, rows_.given(0)}, {words_ + 1, rows_.given(1)}};
    if (native_c_) form_.addresses.push_back({words_ + 2, 2});
    words_ += sizeof arguments / 8;
  }

  void write_scales() {
    form_.scale_word = words_;
    words_ +=
        2 * std::max<std::size_t>(itemsize(matmul_cuda::sum_dtype(form_.shape.operand)), 4) / 8;
  }

  std::variant<CudaForm, Refusal, Relayout> with_epilog() {
    const DType wide = expr::computing_dtype(problem_.a().dtype);
    codegen::DeviceFunctionForm f;
    f.element = wide;
    f.turned = rows_.turned;
    f.function =
        problem_.epilog ? problem_.epilog : expr::identity_function(wide, problem_.d().dtype);
    const bool c_is_tensor = problem_.has_c && !native_c_;
    if (c_is_tensor) f.function = with_c(*f.function, problem_.c().dtype);
    const std::size_t first = c_is_tensor ? 2 : problem_.first_tensor();
    for (std::size_t i = first; i < problem_.operands.size(); ++i) {
      DeviceArray array = device_array(problem_.operands[i], steps_[i], problem_.n());
      if (by_map_) array.dense = false;  // n is not in the text
      (i < problem_.first_aux() ? f.tensors : f.outputs).push_back(array);
      if (words_ + codegen::kWordsPerArray > CudaForm::kMostWords) return refuse("fewer arrays");
      form_.addresses.push_back({words_, i});
      const std::int64_t strides[] = {steps_[i].row, steps_[i].column, steps_[i].batch};
      for (std::size_t w = 0; w < 3; ++w) {
        form_.words[words_ + 1 + w] = static_cast<std::uint64_t>(strides[w]);
      }
      words_ += codegen::kWordsPerArray;
    }
    form_.scalar_word = words_;
    const std::size_t own = problem_.epilog ? problem_.epilog->scalars.size() : 0;
    for (std::size_t i = 0; i < own; ++i) form_.scalars.push_back(2 + i);
    if (c_is_tensor) form_.scalars.push_back(1);
    if (words_ + 2 * form_.scalars.size() > CudaForm::kMostWords) return refuse("fewer scalars");
    auto text = codegen::device_function(f);
    if (!text) return text.refusal();
    form_.epilog = *std::move(text);
    return std::move(form_);
  }

  const ByRows& rows_;
  const MatmulProblem& problem_;
  const CudaTraits& traits_;
  bool by_map_;
  std::vector<Steps> steps_;
  bool native_c_ = false;
  CudaForm form_;
  std::size_t words_ = 0;
};

/// A scalar as the kernel has it, packed.
void put_scalar(std::byte* to, DType dtype, ScalarValue value) {
  const auto put = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (dtype) {
    case DType::float64: put(value.real()); break;
    case DType::complex64: put(std::complex<float>(value)); break;
    case DType::complex128: put(value); break;
    default: put(static_cast<float>(value.real()));
  }
}

}  // namespace

CudaTraits cuda_traits(int device_id) {
  const CudaDeviceInfo& info = cuda_device_info(device_id);
  return {.capability = info.capability, .multiprocessors = info.multiprocessors};
}

Outcome<ByRows> by_rows(const MatmulProblem& given, MatmulProblem problem) {
  ByRows result;
  const auto [row, column] = steps(problem.d());
  if (column != 1 && problem.n() > 1) {
    if (row != 1 && problem.m() > 1) return refuse("D by rows or by columns only");
    for (auto& operand : problem.operands) {
      const std::size_t rank = operand.shape.size();
      std::swap(operand.shape[rank - 1], operand.shape[rank - 2]);
      std::swap(operand.strides[rank - 1], operand.strides[rank - 2]);
    }
    std::swap(problem.operands[0], problem.operands[1]);
    result.turned = true;
  }
  result.wide = given.operands[result.turned ? 1 : 0];
  result.problem = std::move(problem);
  return result;
}

std::variant<CudaForm, Refusal, Relayout> cuda_form(const ByRows& rows, const CudaTraits& traits,
                                                    Fetch fetch) {
  return FormMaker(rows, traits, fetch).run();
}

CudaProgram::CudaProgram(CudaForm form, const matmul_cuda::Params& params, int device_id)
    : form_(std::move(form)), params_(params), device_id_(device_id) {
  matmul_cuda::Arguments arguments{};
  std::memcpy(&arguments, &form_.words[form_.arguments_word], sizeof arguments);
  arguments.count = params_.per_count;
  std::memcpy(&form_.words[form_.arguments_word], &arguments, sizeof arguments);
}

void CudaProgram::prepare() const {
  if (kernel_.load(std::memory_order_acquire) != nullptr) return;
  // Sums are fused where the text says so; the epilog rounds each operation.
  std::vector<std::string> options{"--fmad=false"};
  if (params_.narrow_results) options.emplace_back("--prec-div=false");
  // Threads that come here at once get the same kernel.
  const cuda::Kernel kernel =
      device_kernel(device_id_, {.source = matmul_cuda::source(params_, form_.epilog),
                                 .name = matmul_cuda::kKernelName,
                                 .options = std::move(options),
                                 .this_architecture_only = !form_.maps.empty()});
  if (params_.shared_bytes > 48U << 10) {
    const CudaScope scope(device_id_);
    cuda::call(cuda::api().cuFuncSetAttribute, kernel,
               cuda::FunctionAttribute::max_dynamic_shared_size_bytes,
               static_cast<int>(params_.shared_bytes));
  }
  kernel_.store(kernel, std::memory_order_release);
}

void CudaProgram::launch(const Call& call) const {
  prepare();
  auto words = form_.words;
  for (const auto& [word, operand] : form_.addresses) {
    words[word] = std::bit_cast<std::uint64_t>(call.operands[operand]);
  }
  for (const auto& map : form_.maps) {
    encode_tensor_map(map.shape, call.operands[map.operand], &words[map.word]);
  }
  const DType sums = matmul_cuda::sum_dtype(form_.shape.operand);
  auto* scales = reinterpret_cast<std::byte*>(&words[form_.scale_word]);
  put_scalar(scales, sums, call.scalars[0]);
  put_scalar(scales + itemsize(sums), sums, call.scalars[1]);
  for (std::size_t i = 0; i < form_.scalars.size(); ++i) {
    const ScalarValue value = call.scalars[form_.scalars[i]];
    words[form_.scalar_word + 2 * i] = std::bit_cast<std::uint64_t>(value.real());
    words[form_.scalar_word + 2 * i + 1] = std::bit_cast<std::uint64_t>(value.imag());
  }
  mw::launch(kernel_.load(std::memory_order_relaxed),
             {.blocks = params_.grid,
              .threads = static_cast<unsigned>(params_.threads),
              .shared_bytes = params_.shared_bytes},
             call.stream, words);
}

std::string CudaProgram::describe() const {
  constexpr const char* kNames[] = {"lanes", "tiles", "mma", "batched", "warpgroups"};
  return text("generated CUDA, template ", kNames[static_cast<int>(params_.kind)], ", ",
              params_.threads, " threads, ", params_.grid, " blocks");
}

double gemm_over_floor(const MatmulProblem& problem) {
  struct Row {
    std::size_t size;  ///< of an element, at most
    std::int64_t n;    ///< at most
    double factor;
  };
  constexpr Row kSkinny[] = {{2, 16, 2.2}, {2, 32, 1.6}, {4, 8, 3.0}, {4, 16, 2.1},
                             {4, 64, 1.6}, {8, 8, 3.0},  {8, 64, 1.7}};
  constexpr Row kBatched[] = {{8, 8, 20}, {8, 16, 4.1}, {8, 32, 2.3}, {8, 64, 1.7}};
  constexpr double kGood = 1.1;
  const auto size = itemsize(problem.a().dtype);
  const std::int64_t n = std::min(problem.n(), problem.m());
  const bool batched = problem.batch() > 1 && std::max(problem.n(), problem.m()) <= 64;
  for (const auto& row : batched ? std::span<const Row>(kBatched) : std::span<const Row>(kSkinny)) {
    if (size <= row.size && n <= row.n && problem.k() <= 256) return row.factor;
  }
  return kGood;
}

}  // namespace mw::matmul_impl
