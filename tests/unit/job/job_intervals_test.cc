#include "src/job/job_intervals.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

JobIntervals Some() {
  JobIntervals intervals;
  intervals.steps = 100;
  intervals.log_every = 8;
  intervals.save_every = 30;
  intervals.eval_every = {25, 0};
  return intervals;
}

TEST(JobIntervals, AStopIsTheNextMultipleOfAnyInterval) {
  const JobIntervals intervals = Some();
  EXPECT_EQ(intervals.NextStop(0, false, false), 8);
  EXPECT_EQ(intervals.NextStop(24, false, false), 25);
  EXPECT_EQ(intervals.NextStop(25, false, false), 30);
  EXPECT_EQ(intervals.NextStop(96, false, false), 100);
  EXPECT_EQ(intervals.NextStop(0, /*logs_later=*/true, false), 25);
}

TEST(JobIntervals, SyncsAndSummariesAreStopsAndNoDrains) {
  JobIntervals intervals = Some();
  intervals.sync_every = 5;
  intervals.summaries_every = 3;
  EXPECT_EQ(intervals.NextStop(0, false, false), 3);
  EXPECT_EQ(intervals.NextStop(3, false, false), 5);
  EXPECT_EQ(intervals.NextDrain(0), 25);
  EXPECT_EQ(intervals.NextDrain(25), 30);
}

TEST(JobIntervals, TheEndOfATraceIsAStopWhereItIsAskedFor) {
  JobIntervals intervals = Some();
  intervals.trace_until = 6;
  EXPECT_EQ(intervals.NextStop(0, false, /*stops_at_trace=*/true), 6);
  EXPECT_EQ(intervals.NextStop(0, false, /*stops_at_trace=*/false), 8);
  EXPECT_EQ(intervals.NextDrain(0), 6);
  EXPECT_EQ(intervals.NextStop(6, false, true), 8);
  EXPECT_EQ(intervals.NextDrain(6), 25);
}

TEST(JobIntervals, NothingComesAfterTheEnd) {
  JobIntervals intervals = Some();
  intervals.trace_until = 100;
  EXPECT_EQ(intervals.NextStop(99, false, true), 100);
  EXPECT_EQ(intervals.NextDrain(99), 100);
}

}  // namespace
}  // namespace dfrun
