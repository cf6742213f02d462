// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the tests of expressions share.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <mathwright/error.hpp>

namespace mw::expr {

/// The call throws invalid_argument, and the message holds the words.
template <class Call>
void expect_error(Call&& call, const std::string& words) {
  try {
    call();
    FAIL() << "no error; wanted one with: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_argument) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << error.what() << "\nwanted: " << words;
  }
}

}  // namespace mw::expr
