// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "vendor/blas_lapack/blas.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/env.hpp"
#include "base/text.hpp"
#include "dl/deferred_log.hpp"
#include "dl/version.hpp"
#include "vendor/mkl/threading.hpp"

namespace mw::blas {

namespace {

using dl::LibraryId;

constexpr std::array kRows{
    BlasRow{"named", LibraryId::blas_override, 0},
    BlasRow{"nvpl-ilp64", LibraryId::nvpl_blas_ilp64, 64},
    BlasRow{"mkl", LibraryId::mkl_rt, 0},
    BlasRow{"scipy-openblas", LibraryId::scipy_openblas, 0},
    BlasRow{"openblas64", LibraryId::openblas64, 0},
    BlasRow{"nvpl", LibraryId::nvpl_blas_lp64, 32},
    BlasRow{"openblas", LibraryId::openblas, 0},
    BlasRow{"cblas", LibraryId::system_cblas, 32},
};

// The decorations in use, most telling first: MKL has undecorated names too, with other integers.
struct Decoration {
  const char* prefix;
  const char* suffix;
  int integer_bits;  ///< 0: undecorated names say nothing about it
};

constexpr Decoration kDecorations[] = {
    {"scipy_", "64_", 64}, {"", "_64", 64}, {"", "64_", 64}, {"scipy_", "", 32}, {"", "", 0}};

std::string decorated(const Decoration& decoration, char letter, const char* routine) {
  return text(decoration.prefix, "cblas_", letter, routine, decoration.suffix);
}

const Decoration* find_decoration(const dl::Library& library) {
  for (const Decoration& decoration : kDecorations)
    if (library.symbol(decorated(decoration, 's', "gemm").c_str()) != nullptr) return &decoration;
  return nullptr;
}

std::string version_of(const dl::Library& library) {
  if (mkl::is_mkl(library)) return dl::mkl_version(library);
  for (const auto version :
       {dl::scipy_openblas_version, dl::openblas_version, dl::nvpl_blas_version})
    if (auto found = version(library); !found.empty()) return found;
  return "";
}

// OpenBLAS built with 64-bit integers and plain names says so in its configuration; other libraries
// say so, if at all, in the name of their file.
int undecorated_bits(const dl::Library& library, const std::string& version) {
  const bool wide = version.find("USE64BITINT") != std::string::npos ||
                    library.path().find("ilp64") != std::string::npos;
  return wide ? 64 : 32;
}

struct Slot {
  std::mutex mutex;
  std::atomic<const Blas*> ready{nullptr};
};

}  // namespace

/// Fills a Blas from an opened library.
class Loader {
 public:
  static Outcome<const Blas*> load(const BlasRow& row) {
    const auto library = dl::open(row.library);
    if (!library) return library.refusal();
    const Decoration* decoration = find_decoration(*library.value());
    if (decoration == nullptr)
      return Refusal{row.name, text(library.value()->path(), " (", library.value()->how(),
                                    ") has no cblas_sgemm under any known name")};
    auto blas = std::make_unique<Blas>();
    blas->library_ = library.value();
    blas->name_ = row.name;
    if (mkl::is_mkl(*blas->library_)) mkl::prepare(*blas->library_);
    blas->version_ = version_of(*blas->library_);
    int bits = decoration->integer_bits;
    if (bits == 0) bits = row.integer_bits;
    if (bits == 0) bits = undecorated_bits(*blas->library_, blas->version_);
    blas->wide_ = bits == 64;
    const auto refusal = blas->wide_
                             ? bind_tables(blas->wide_tables_, *blas->library_, row, *decoration)
                             : bind_tables(blas->narrow_tables_, *blas->library_, row, *decoration);
    if (refusal) return *refusal;
    std::apply([&](auto&... table) { (drop_wrong_batch(table, *blas), ...); }, blas->wide_tables_);
    std::apply([&](auto&... table) { (drop_wrong_batch(table, *blas), ...); },
               blas->narrow_tables_);
    blas->threads_.bind(*blas->library_);
    return static_cast<const Blas*>(blas.release());  // for the life of the process
  }

 private:
  template <class T, class Int>
  static std::optional<Refusal> bind_table(Routines<T, Int>& table, const dl::Library& library,
                                           const BlasRow& row, const Decoration& decoration) {
    return dl::bind_all(table, library, row.name, [&](const char* routine) {
      return decorated(decoration, kLetter<T>, routine);
    });
  }

  // OpenBLAS 0.3.34 counts the strides of complex batches wrongly. Two products of 1 × 1 matrices
  // tell: c[i] = a[i] b[i]. A function that fails is not used; gemm_batch then loops over gemm.
  template <class T, class Int>
  static void drop_wrong_batch(Routines<T, Int>& table, const Blas& blas) {
    if (!table.gemm_batch_strided) return;
    const std::array a{T(2), T(3)}, b{T(5), T(7)};
    std::array c{T(0), T(0)};
    const T one(1), zero(0);
    table.gemm_batch_strided(Order::column, Op::none, Op::none, 1, 1, 1, scalar(one), a.data(), 1,
                             1, b.data(), 1, 1, scalar(zero), c.data(), 1, 1, 2);
    if (c == std::array{T(10), T(21)}) return;
    table.gemm_batch_strided.bind(static_cast<void*>(nullptr));
    dl::defer_log(LogLevel::info, [&] {
      return text("blas: ", blas.path(), ": cblas_", kLetter<T>,
                  "gemm_batch_strided gives wrong results and is not used");
    });
  }

  template <class Tables>
  static std::optional<Refusal> bind_tables(Tables& tables, const dl::Library& library,
                                            const BlasRow& row, const Decoration& decoration) {
    std::optional<Refusal> first;
    std::apply(
        [&](auto&... table) {
          (void)((first = bind_table(table, library, row, decoration)).has_value() || ...);
        },
        tables);
    return first;
  }
};

std::int32_t Blas::narrow(std::int64_t size) {
  require(size >= -kLargest32 && size <= kLargest32, ErrorKind::invalid_argument,
          "blas: a size of ", size,
          " was passed to a library with 32-bit integers. Install one with 64-bit integers: pip "
          "install scipy-openblas64");
  return static_cast<std::int32_t>(size);
}

std::span<const BlasRow> blas_libraries() { return kRows; }

Outcome<const Blas*> load_blas(const BlasRow& row) {
  static auto& slots = *new std::array<Slot, dl::kLibraryCount>;
  Slot& slot = slots[static_cast<std::size_t>(row.library)];
  if (const Blas* blas = slot.ready.load(std::memory_order_acquire)) return blas;
  const dl::DeferredLog logs;
  const std::lock_guard lock(slot.mutex);
  if (const Blas* blas = slot.ready.load(std::memory_order_relaxed)) return blas;
  auto loaded = Loader::load(row);
  if (loaded) slot.ready.store(loaded.value(), std::memory_order_release);
  return loaded;
}

namespace {

Outcome<const Blas*> find_default() {
  if (env(EnvVar::blas_library) || env(EnvVar::nvmath_blas_library)) return load_blas(kRows[0]);
  std::string reasons;
  for (const BlasRow& row : std::span(kRows).subspan(1)) {
    auto blas = load_blas(row);
    if (blas) return blas;
    reasons += text("\n", blas.refusal().reason);
  }
  return Refusal{
      "blas", "no BLAS library was found; \"pip install scipy-openblas64\" brings one." + reasons};
}

}  // namespace

Outcome<const Blas*> default_blas() {
  // The answer holds until a search could turn out differently.
  static std::atomic<const Blas*> known{nullptr};
  static std::atomic<std::uint64_t> generation{0};
  const std::uint64_t now = dl::search_generation();
  if (generation.load(std::memory_order_acquire) == now)
    return known.load(std::memory_order_relaxed);
  auto found = find_default();
  if (found) {
    known.store(found.value(), std::memory_order_relaxed);
    generation.store(now, std::memory_order_release);
  }
  return found;
}

std::vector<const Blas*> all_blas() {
  const bool named = env(EnvVar::blas_library) || env(EnvVar::nvmath_blas_library);
  std::vector<const Blas*> found;
  for (const BlasRow& row : named ? std::span(kRows).first(1) : std::span(kRows).subspan(1))
    if (const auto blas = load_blas(row)) found.push_back(blas.value());
  return found;
}

}  // namespace mw::blas
