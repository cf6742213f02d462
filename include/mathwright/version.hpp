// SPDX-FileCopyrightText: The Mathwright authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MW_VERSION_MAJOR 0
#define MW_VERSION_MINOR 1
#define MW_VERSION_PATCH 0
#define MW_VERSION "0.1.0"
