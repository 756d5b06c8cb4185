// SPDX-License-Identifier: MIT
//
// FunctionRef: a callable passed to a function that is compiled once for all callables.
#pragma once

#include <type_traits>
#include <utility>

namespace kov {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it: a parameter, to which callers give a lambda.  Costs one indirect call.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// f: not copied.
  template <class F>
  requires(!std::is_same_v<F, FunctionRef>) FunctionRef(const F& f)
      : object_(&f), call_([](const void* object, Arguments... arguments) -> Result {
          return (*static_cast<const F*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  /// Calls it.
  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace kov
