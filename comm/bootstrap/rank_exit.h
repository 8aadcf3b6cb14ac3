// The last message and the exit of a process that cannot end in order.
#ifndef DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_
#define DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_

#include <chrono>
#include <string>
#include <string_view>

namespace dfrun::comm {

// Time that the launcher has to end this process after it was asked to.
inline constexpr std::chrono::seconds kLauncherEnds(4);
// Time that the coordinating rank has to report a loss before another rank reports the same.
inline constexpr std::chrono::seconds kCoordinatorFirst(2);

// Writes "dfrun: rank RANK: TEXT" to the standard error. If the reader has gone, SIGPIPE does not end the process.
// Blocks: while the reader of a pipe does not read.
// Thread safety: any thread.
void SayAsRank(std::string_view rank, const std::string& text);

// Ends this process with the exit code after `wait`, unless something else has ended it by then.
void ExitAfter(std::chrono::seconds wait, int exit_code);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_
