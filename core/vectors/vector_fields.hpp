// SPDX-License-Identifier: MIT
//
// The fields that vector algebra is compiled for, as lists: KOV_FOR_VECTOR_FIELDS(X) is X(F) for each of them.  Not for
// users.
#pragma once

#include "kov/core/field/field.hpp"

#define KOV_FOR_PRECISIONS_OF(X, SITE, ...) \
  X(Field<SITE, float __VA_OPT__(, ) __VA_ARGS__>) X(Field<SITE, double __VA_OPT__(, ) __VA_ARGS__>)

/// What solvers and eigensolvers work with.
#define KOV_FOR_QUARK_FIELDS(X)                          \
  KOV_FOR_PRECISIONS_OF(X, ColorVector)                  \
  KOV_FOR_PRECISIONS_OF(X, Spinor)                       \
  KOV_FOR_PRECISIONS_OF(X, ColorVector, ColumnLanes<4>)  \
  KOV_FOR_PRECISIONS_OF(X, ColorVector, ColumnLanes<8>)  \
  KOV_FOR_PRECISIONS_OF(X, ColorVector, ColumnLanes<16>) \
  KOV_FOR_PRECISIONS_OF(X, Spinor, ColumnLanes<4>)       \
  KOV_FOR_PRECISIONS_OF(X, Spinor, ColumnLanes<8>)       \
  KOV_FOR_PRECISIONS_OF(X, Spinor, ColumnLanes<16>)

#define KOV_FOR_VECTOR_FIELDS(X)          \
  KOV_FOR_PRECISIONS_OF(X, Scalar)        \
  KOV_FOR_PRECISIONS_OF(X, AdjointVector) \
  KOV_FOR_QUARK_FIELDS(X)

/// For the operations on whole fields (field_ops.hpp, field_sums.hpp): more types of sites.
#define KOV_FOR_ALL_PLAIN_FIELDS(X)     \
  KOV_FOR_VECTOR_FIELDS(X)              \
  KOV_FOR_PRECISIONS_OF(X, ColorMatrix) \
  KOV_FOR_PRECISIONS_OF(X, HalfSpinor)  \
  KOV_FOR_PRECISIONS_OF(X, SpinMatrix)
