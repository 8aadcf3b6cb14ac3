#include "tests/unit/testing/steps_in_flight.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/session/rank_threads.h"

namespace dfrun {
namespace {

using testing::InFlightCase;
using testing::InFlightCases;

class StepsInFlight : public ::testing::TestWithParam<std::tuple<InFlightCase, int, int>> {};

TEST_P(StepsInFlight, AreApart) {
  const auto& [in_flight, ranks, threads] = GetParam();
  testing::RankThreads rank_threads(ranks, threads);
  const Status status = in_flight.run(rank_threads.master());
  EXPECT_TRUE(status.ok()) << status.ToString();
}

INSTANTIATE_TEST_SUITE_P(Ranks, StepsInFlight,
                         ::testing::Combine(::testing::ValuesIn(InFlightCases().begin(), InFlightCases().end()),
                                            ::testing::Values(1, 2, 4), ::testing::Values(1, 2)),
                         [](const auto& info) {
                           return StrCat(std::get<0>(info.param).name, "_", std::get<1>(info.param), "_ranks_",
                                         std::get<2>(info.param), "_threads");
                         });

}  // namespace
}  // namespace dfrun
