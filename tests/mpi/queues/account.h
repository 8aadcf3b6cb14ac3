// The rules that the values of a round must obey, whatever ended the round.
#ifndef DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_
#define DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_

#include <map>
#include <string>
#include <vector>

#include "tests/mpi/queues/noted_kernels.h"
#include "tests/mpi/queues/round.h"

namespace dfrun::testing {

// The values that calls moved, by the name of the call's node.
using Moved = std::map<std::string, std::vector<int64_t>>;

struct Account {
  Moved moved;  // values moved by calls that ended well, on any rank
  Moved left;   // values in the queues after the last step, by queue
};

// The values that steps that ended well gave their consumers, and the status of the last step.
struct Outcome {
  std::vector<Moved> delivered;  // by step
  Status last;
};

// Returns Internal unless
//   every value of a put that ended well was taken once or is left once, in the queue of that put;
//   the values of another put that were taken or left are its first ones, each once;
//   a take that ended well has the requested number of values; one of up to a number may have fewer from a closed
//   queue;
//   all calls of a step that ended well ended well, and its consumers got what they took;
//   the last step ended well, or with an error that the round's ending brings.
Status CheckAccount(const Round& round, const Account& account, const Outcome& outcome);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_
