// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Strided copies on a device. The includer defines MW_DEVICE_TEXT either as the text of its
// argument (for NVRTC) or as the argument itself (tests run the same functions on the host), so
// there are no preprocessor lines inside.
//
//   copy_any        any layouts: one element per thread and round, its index taken apart by
//   division copy_turned     both layouts dense along different axes (the last of the target, the
//   one before of
//                   the source): square tiles through shared memory, so that both sides see runs.
//                   Blocks of 256 threads
//
// Index is 32 bits wide where the size allows: division of 64-bit numbers costs four times as much.
MW_DEVICE_TEXT(

template <class Part>
struct Pair {
  Part x;
  Part y;
};
struct alignas(16) Wide {
  unsigned long long x;
  unsigned long long y;
};

template <class Element>
struct Same {
  static __device__ Element apply(Element value) { return value;
}
}
;
template <class Element>
struct FlipUpper {
  static __device__ Element apply(Element value) {
    return value ^ (Element(1) << (8 * sizeof(Element) - 1));
  }
};
template <class Element>
struct FlipSecond {
  static __device__ Element apply(Element value) {
    value.y = FlipUpper<decltype(value.y)>::apply(value.y);
    return value;
  }
};

template <class Element, class Index, class Change>
__device__ void copy_any(Element* target, const Element* source, const CopyNest& nest) {
  const Index size = Index(nest.size);
  const Index step = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += step) {
    Index rest = i;
    long long to = 0;
    long long from = 0;
    for (int d = nest.rank - 1; d > 0; --d) {
      const Index extent = Index(nest.extents[d]);
      const Index next = rest / extent;
      const long long at = (long long)(rest - next * extent);
      to += at * nest.target[d];
      from += at * nest.source[d];
      rest = next;
    }
    to += (long long)rest * nest.target[0];
    from += (long long)rest * nest.source[0];
    target[to] = Change::apply(source[from]);
  }
}

template <class Element, class Index, class Change>
__device__ void copy_turned(Element* target, const Element* source, const CopyNest& nest) {
  constexpr int kSide = sizeof(Element) < 4 ? 64 : 32;
  constexpr int kStep = 256 / kSide;
  __shared__ Element tile[kSide][kSide + 1];
  const int last = nest.rank - 1;
  const long long columns = nest.extents[last];
  const long long rows = nest.extents[last - 1];
  const Index across = Index((columns + kSide - 1) / kSide);
  const Index down = Index((rows + kSide - 1) / kSide);
  Index tiles = across * down;
  for (int d = 0; d < last - 1; ++d) tiles *= Index(nest.extents[d]);
  const int x = threadIdx.x % kSide;
  const int y = threadIdx.x / kSide;
  for (Index i = blockIdx.x; i < tiles; i += gridDim.x) {
    Index rest = i / across;
    const long long column = (long long)(i - rest * across) * kSide;
    Index next = rest / down;
    const long long row = (long long)(rest - next * down) * kSide;
    long long to = row * nest.target[last - 1] + column;
    long long from = row + column * nest.source[last];
    for (int d = last - 2; d >= 0; --d) {
      rest = next;
      next = rest / Index(nest.extents[d]);
      const long long at = (long long)(rest - next * Index(nest.extents[d]));
      to += at * nest.target[d];
      from += at * nest.source[d];
    }
    for (int c = y; c < kSide; c += kStep) {
      if (row + x < rows && column + c < columns)
        tile[c][x] = source[from + x + c * nest.source[last]];
    }
    __syncthreads();
    for (int r = y; r < kSide; r += kStep) {
      if (row + r < rows && column + x < columns) {
        target[to + r * nest.target[last - 1] + x] = Change::apply(tile[x][r]);
      }
    }
    __syncthreads();
  }
}

)
