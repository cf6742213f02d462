// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
// What the shared library shows to the outside: everything else is built with hidden visibility.
#pragma once

#define MW_API __attribute__((visibility("default")))
