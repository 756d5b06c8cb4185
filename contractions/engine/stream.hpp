// SPDX-License-Identifier: MIT
//
// Whole correlators: all sources and all sinks, from memory or read slice by slice while kernels work.
#pragma once

#include "kov/contractions/engine/engine.hpp"

#include <functional>

namespace kov {

/// Data of a whole configuration in memory where kernels run: slices [t], perambulators [t_sink][t_source].
template <class T>
struct SlicesInMemory {
  const Complex<T>*slices = nullptr, *perambulators = nullptr;
  /// Those of the antiquark's; null: the same quark.
  const Complex<T>* antiquarks = nullptr;
};

/// Where data come from that are read.  Called by one other thread at a time, not by the one that waits for the result.
/// What they throw is passed on.
template <class T>
struct SliceReader {
  /// The slice of time t, as the engine takes it: operators or elementals.
  std::function<void(int t, std::span<Complex<T>> to)> slice;
  /// tau(t_sink, t_source)
  std::function<void(int t_sink, int t_source, std::span<Complex<T>> to)> perambulator;
  /// That of the antiquark's; none: the same quark.
  std::function<void(int t_sink, int t_source, std::span<Complex<T>> to)> antiquark = {};
};

/// Which sources are contracted, and in how much memory slices are kept.
struct StreamOptions {
  /// Source times, each once; empty: all.
  std::vector<int> sources = {};
  /// Slices of all times are kept where kernels run if they take no more than that; otherwise each is read again for
  /// every source.
  std::size_t slice_bytes = std::size_t(1) << (has_packs ? 31 : 34);
};

/// Adds the correlators from these sources (none: all) to all sinks; those of several calls add up, so that a source
/// belongs into one of them.  Engine: a DenseEngine, a FactorisedEngine or an EngineGroup of the latter.  Asynchronous.
/// Throws InputError for times that are not there and for one that is named twice.
template <class Engine>
void add_correlators(Engine& engine, const SlicesInMemory<typename Engine::Real>& data,
                     const std::vector<int>& sources = {}, const Exec& exec = {});

/// The same for data that are read: those of the next sinks while the present ones are contracted, with copies to a GPU
/// on an instance of their own.  Memory beside the engine's: twice what sinks_at_once() sinks take, on the host and on
/// a GPU.  Returns when all is done.
template <class Engine>
void add_correlators(Engine& engine, const SliceReader<typename Engine::Real>& reader,
                     const StreamOptions& options = {}, const Exec& exec = {});

}  // namespace kov
