// SPDX-License-Identifier: MIT
//
// The program of docs/library.md as it stands.  tests/docs/test_docs.py runs it and compares with `kovariant spectrum`.
#include "library_program.hpp"
