// SPDX-License-Identifier: MIT
//
// KernelClock: how long kernels run, to be set beside the time on the wall.
#pragma once

namespace kov {

/// Measures the time that kernels take which this thread of the host launches, from construction on; one at a time.
///
/// On hosts it is the time inside launches and products of a BLAS.  On a GPU it is the time from a launch to the end of
/// the next fence, and that of fences: gaps between kernels without a fence are in it, and kernels that go on after the
/// fence of another stream are not.  It adds no fence, and two looks at a clock to a launch.
class KernelClock {
 public:
  /// Throws InputError while there is another one.
  KernelClock();
  ~KernelClock();
  KernelClock(const KernelClock&) = delete;
  KernelClock& operator=(const KernelClock&) = delete;

  /// So far.  Waits for the kernels of a GPU that this thread launched.
  double seconds() const;
};

namespace detail {

/// Lives around a launch: tells the clock of this thread, if there is one.
class KernelTimer {
 public:
  KernelTimer();
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;
};

}  // namespace detail
}  // namespace kov
