// What must hold of the values of a round, whatever ended it.
#ifndef DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_
#define DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_

#include <map>
#include <string>
#include <vector>

#include "tests/mpi/queues/noted_kernels.h"
#include "tests/mpi/queues/round.h"

namespace dfrun::testing {

// By name of the call's node: the values that it moved.
using Moved = std::map<std::string, std::vector<int64_t>>;

struct Account {
  Moved moved;  // calls that ended well, on any rank
  Moved left;   // in the queues after the last step, by queue
};

// What the steps that ended well gave their consumers, and how the last step ended.
struct Outcome {
  std::vector<Moved> delivered;  // by step
  Status last;
};

// Internal unless
//   every value of a put that ended well was taken once or is left once, in the queue of that put;
//   of a put that did not, the first ones were or are, in the same way, and nothing else;
//   a take that ended well has what it asked for, one up to a number perhaps less of a closed queue;
//   all calls of a step that ended well did, and its consumers got what they took;
//   the last step ended well, or with an error that the round's ending brings.
Status CheckAccount(const Round& round, const Account& account, const Outcome& outcome);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_ACCOUNT_H_
