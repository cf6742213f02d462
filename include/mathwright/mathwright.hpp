// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// Mathwright, all of it: `#include <mathwright/mathwright.hpp>`, link mathwright::mathwright.
#pragma once

#include <mathwright/cache.hpp>
#include <mathwright/device.hpp>
#include <mathwright/dims.hpp>
#include <mathwright/dtype.hpp>
#include <mathwright/error.hpp>
#include <mathwright/expr.hpp>
#include <mathwright/fft.hpp>
#include <mathwright/info.hpp>
#include <mathwright/log.hpp>
#include <mathwright/matmul.hpp>
#include <mathwright/tensor.hpp>
#include <mathwright/version.hpp>
