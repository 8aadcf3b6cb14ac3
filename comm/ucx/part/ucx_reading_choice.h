// Chooses which messages are read by their receivers.
#ifndef DFRUN_COMM_UCX_PART_UCX_READING_CHOICE_H_
#define DFRUN_COMM_UCX_PART_UCX_READING_CHOICE_H_

#include <string>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/ucx/part/ucx_transport.h"

namespace dfrun::comm {

// What the environment variable DFRUN_UCX_READ_FROM says (a number of bytes, or "never"), else what rank 0 finds kept
// in the user's file (comm/ucx/reading_file.h), else what is faster: measured between the first two ranks that share a
// host and between the first two that do not, and then kept. Rank 0 says which it was. `transport` connects the ranks,
// and `hosts` are theirs. Collective; all ranks get the same. Usage error for another text in the environment; a file
// that cannot be used is none.
Result<UcxReading> ChooseReading(UcxTransport& transport, Bootstrap& bootstrap, const std::vector<std::string>& hosts);

// What a start would go by, for `dfrun info`.
std::string DescribeReadingChoice();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_READING_CHOICE_H_
