// Steps of a session that are in flight together: what each gives, and that an error of one is its own.
#ifndef DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_
#define DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_

#include <span>
#include <string>

#include "src/session/runtime.h"

namespace dfrun::testing {

// Each makes a session on rank 0's runtime, over all its ranks, and closes it. Internal: what was seen is not what
// arithmetic gives.
struct InFlightCase {
  const char* name;
  Status (*run)(Runtime& runtime);
  bool from_threads;  // several threads of rank 0 call the session: it needs a transport that allows that
};
std::span<const InFlightCase> InFlightCases();

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_STEPS_IN_FLIGHT_H_
