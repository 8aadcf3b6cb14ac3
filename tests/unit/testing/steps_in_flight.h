// Tests of steps of a session that are in flight together: each must give its own values, and an error of one must not
// affect the others.
#ifndef DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_
#define DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_

#include <span>
#include <string>

#include "src/session/runtime.h"

namespace dfrun::testing {

// A case, which makes a session on rank 0's runtime, over all its ranks, and closes it. Internal if the results differ
// from those of arithmetic.
struct InFlightCase {
  const char* name;
  Status (*run)(Runtime& runtime);
  bool from_threads;  // several threads of rank 0 call the session: it needs a transport that allows that
};
std::span<const InFlightCase> InFlightCases();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_
