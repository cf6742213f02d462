// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// The loop nest a device copy is given, by value: code for the host, text for NVRTC (see
// copy_kernel.inl). Axes run from the slowest to the fastest; strides count elements.
MW_DEVICE_TEXT(

    struct CopyNest {
      long long size;
      int rank;
      long long extents[8];
      long long target[8];
      long long source[8];
    };

)
