// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/trig_tables.hpp"

#include <numbers>
#include <utility>

namespace mw::kernels::fft {

namespace {

constexpr std::int64_t kShortestMerge = 16;

bool is_sine(FftKind kind) { return kind >= FftKind::dst1; }

template <class T>
Table<T> roots_table(std::int64_t order, std::int64_t count, std::int64_t step,
                     std::int64_t first) {
  Table<T> table(2 * count);
  const Roots roots(order);
  for (std::int64_t j = 0; j < count; ++j) roots.put(first + step * j, table.data() + 2 * j);
  return table;
}

/// x extended to a whole period, even about its ends or odd about the places beside them, and the
/// parts of the spectrum that are left of it.
template <class T>
void extend(TrigTables<T>& tables, bool sine, std::int64_t n, std::int64_t length) {
  tables.in = Table<T>(length);
  tables.out = Table<T>(2 * n);
  tables.index_in.assign(static_cast<std::size_t>(length), 0);
  const std::int64_t shift = sine ? 1 : 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t mirror = (length - k - shift) % length;
    for (const auto place : {mirror, k + shift}) {
      tables.index_in[static_cast<std::size_t>(place)] = k;
      tables.in.data()[place] = sine && place == mirror ? T{-1} : T{1};
    }
    tables.index_out.push_back(k + shift);
    tables.out.data()[2 * k + shift] = sine ? T{-1} : T{1};
  }
}

/// Element and sign of cos(2π·a·(odd)/8n), a odd modulo 8n.
std::pair<std::int64_t, int> quarter(std::int64_t a, std::int64_t n) {
  if (a > 4 * n) a = 8 * n - a;
  return a > 2 * n ? std::pair{(4 * n - a - 1) / 2, -1} : std::pair{(a - 1) / 2, 1};
}

/// The permutations of dct4 for odd n; see trig.hpp. For dst4 every odd result changes its sign.
template <class T>
void permute(TrigTables<T>& tables, bool sine, std::int64_t n) {
  tables.in = Table<T>(n);
  tables.out = Table<T>(2 * n);
  tables.index_in.resize(static_cast<std::size_t>(n));
  tables.index_out.resize(static_cast<std::size_t>(n));
  const std::int64_t alpha = n % 8;  // squares of odd numbers are 1 modulo 8
  std::int64_t beta = 1 % n;         // 8⁻¹ modulo n
  for (int halving = 0; halving < 3; ++halving) beta = (beta % 2 == 0 ? beta : beta + n) / 2;
  constexpr long double kRoot = std::numbers::sqrt2_v<long double>;
  const auto c = static_cast<T>(alpha == 1 || alpha == 7 ? kRoot : -kRoot);  // 2 cos(2πα/8)
  const auto s = static_cast<T>(alpha == 1 || alpha == 3 ? kRoot : -kRoot);
  for (std::int64_t a = 1; a < 8 * n; a += 8) {
    const std::int64_t residue = a % n;
    const auto [element, sign] = quarter(a, n);
    tables.index_in[static_cast<std::size_t>(residue)] = element;
    tables.in.data()[residue] = static_cast<T>(sign);
    const auto q = static_cast<std::int64_t>(static_cast<__int128>(beta) * residue % n);
    const bool beyond = 2 * q > n;  // conj F[n−q]
    const auto flip = static_cast<T>(sine && element % 2 != 0 ? -sign : sign);
    tables.index_out[static_cast<std::size_t>(element)] = beyond ? n - q : q;
    tables.out.data()[2 * element] = flip * c;
    tables.out.data()[2 * element + 1] = beyond ? -flip * s : flip * s;
  }
}

template <class T>
std::shared_ptr<const TrigTables<T>> make_tables(FftKind kind, std::int64_t n) {
  auto tables = std::make_shared<TrigTables<T>>();
  const bool sine = is_sine(kind);
  const auto inner = trig_inner(kind, n);
  tables->flip = sine ? T{-1} : T{1};
  switch (inner.method) {
    case TrigMethod::forward:
      tables->out = roots_table<T>(4 * n, n / 2 + 1, 1, 0);
      tables->reverse_out = sine;
      break;
    case TrigMethod::backward:
      tables->in = roots_table<T>(4 * n, n / 2 + 1, 1, 0);
      tables->reverse_in = sine;
      break;
    case TrigMethod::pairs:
      tables->in = roots_table<T>(8 * n, n / 2, 4, 1);
      tables->out = roots_table<T>(2 * n, n / 2, 1, 0);
      tables->reverse_in = sine;
      break;
    case TrigMethod::picked:
      if (kind == FftKind::dct4 || kind == FftKind::dst4) {
        permute(*tables, sine, n);
        tables->reverse_in = sine;
      } else {
        extend(*tables, sine, n, inner.length);
      }
      break;
    case TrigMethod::merge: break;
  }
  return tables;
}

}  // namespace

TrigInner trig_inner(FftKind kind, std::int64_t n) {
  switch (kind) {
    case FftKind::dct2:
    case FftKind::dst2: return {TrigMethod::forward, n};
    case FftKind::dct3:
    case FftKind::dst3: return {TrigMethod::backward, n};
    case FftKind::dct4:
    case FftKind::dst4:
      return n % 2 == 0 ? TrigInner{TrigMethod::pairs, n / 2} : TrigInner{TrigMethod::picked, n};
    default: break;
  }
  const std::int64_t shift = is_sine(kind) ? 1 : -1;
  const std::int64_t period = n + shift;  // half of it
  if (period % 2 == 0 && period >= kShortestMerge) return {TrigMethod::merge, period / 2 - shift};
  return {TrigMethod::picked, 2 * period};
}

template <class T>
std::shared_ptr<const TrigTables<T>> TrigTables<T>::get(FftKind kind, std::int64_t n) {
  static SharedByKey<std::pair<FftKind, std::int64_t>, TrigTables> cache;
  return cache.get({kind, n}, [&] { return make_tables<T>(kind, n); });
}

template struct TrigTables<float>;
template struct TrigTables<double>;

}  // namespace mw::kernels::fft
