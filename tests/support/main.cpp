// SPDX-License-Identifier: MIT
//
// main() of every test program: all tests on all ranks, output from rank 0 and from ranks that fail.
#include "kov/core/runtime/runtime.hpp"

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  kov::Runtime runtime(argc, argv);
  const kov::Comm world = kov::Comm::world();
  if (world.rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    class Failures : public ::testing::EmptyTestEventListener {
     public:
      explicit Failures(int rank) : rank_(rank) {}

     private:
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (result.failed())
          fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?",
                  result.line_number(), result.message());
      }
      int rank_;
    };
    listeners.Append(new Failures(world.rank()));
  }
  const int here = RUN_ALL_TESTS();
  std::vector<double> worst{double(here)};
  world.max(worst);
  return int(worst[0]);
}
