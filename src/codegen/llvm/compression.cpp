// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// LLVM compresses debug information with zlib and zstd. Our objects have none, so nothing ever asks
// for it; with these in the libraries' place, libmathwright_llvm needs neither of them.
#include <cstddef>

// NOLINTBEGIN: the names are theirs.
extern "C" {
// Failure, as each library says it.
int compress2(unsigned char*, unsigned long*, const unsigned char*, unsigned long, int) {
  return -2;
}
int uncompress(unsigned char*, unsigned long*, const unsigned char*, unsigned long) { return -2; }
unsigned long compressBound(unsigned long size) { return size; }
unsigned long crc32(unsigned long crc, const unsigned char*, unsigned) { return crc; }
void* ZSTD_createCCtx() { return nullptr; }
std::size_t ZSTD_freeCCtx(void*) { return 0; }
std::size_t ZSTD_CCtx_setParameter(void*, int, int) { return ~std::size_t{0}; }
std::size_t ZSTD_compress2(void*, void*, std::size_t, const void*, std::size_t) {
  return ~std::size_t{0};
}
std::size_t ZSTD_compress(void*, std::size_t, const void*, std::size_t, int) {
  return ~std::size_t{0};
}
std::size_t ZSTD_decompress(void*, std::size_t, const void*, std::size_t) {
  return ~std::size_t{0};
}
std::size_t ZSTD_compressBound(std::size_t size) { return size; }
unsigned ZSTD_isError(std::size_t) { return 1; }
const char* ZSTD_getErrorName(std::size_t) { return "left out"; }
}
// NOLINTEND
