// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Strided copies on a device. The includer defines MW_DEVICE_TEXT either as the text of its argument
// (for NVRTC) or as the argument itself (tests run the same functions on the host), so there are no
// preprocessor lines inside.
//
//   copy_any        any layouts: one element per thread and round, its index taken apart by division
//   copy_turned     both layouts dense along different axes (the last of the target, the one before of
//                   the source): 32 × 32 tiles through shared memory, so that both sides see runs
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
  static __device__ Element apply(Element value) { return value; }
};
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
  __shared__ Element tile[32][33];
  const int last = nest.rank - 1;
  const long long columns = nest.extents[last];
  const long long rows = nest.extents[last - 1];
  const long long across = (columns + 31) / 32;
  const long long down = (rows + 31) / 32;
  long long tiles = across * down;
  for (int d = 0; d < last - 1; ++d) tiles *= nest.extents[d];
  for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
    const long long column = i % across * 32;
    long long rest = i / across;
    const long long row = rest % down * 32;
    rest /= down;
    long long to = 0;
    long long from = 0;
    for (int d = last - 2; d >= 0; --d) {
      to += rest % nest.extents[d] * nest.target[d];
      from += rest % nest.extents[d] * nest.source[d];
      rest /= nest.extents[d];
    }
    const int x = threadIdx.x % 32;
    const int y = threadIdx.x / 32;
    for (int c = y; c < 32; c += 8) {
      if (row + x < rows && column + c < columns) {
        tile[c][x] = source[from + (row + x) + (column + c) * nest.source[last]];
      }
    }
    __syncthreads();
    for (int r = y; r < 32; r += 8) {
      if (row + r < rows && column + x < columns) {
        target[to + (row + r) * nest.target[last - 1] + (column + x)] = Change::apply(tile[x][r]);
      }
    }
    __syncthreads();
  }
}

)
