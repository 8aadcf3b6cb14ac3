// The last words and the exit of a process that cannot end in order.
#ifndef DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_
#define DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_

#include <chrono>
#include <string>
#include <string_view>

namespace dfrun::comm {

// For the launcher to end this process, which has asked it to.
inline constexpr std::chrono::seconds kLauncherEnds(4);
// For the rank that speaks for all to be heard, before another says the same.
inline constexpr std::chrono::seconds kSpeakerFirst(2);

// Writes "dfrun: rank RANK: TEXT" to the standard error. Who reads it may be gone: that is no reason to end by SIGPIPE.
// It blocks where nobody reads. Thread safety: any thread.
void SayAsRank(std::string_view rank, const std::string& text);

// Ends this process with the code where nothing else has by then.
void ExitAfter(std::chrono::seconds wait, int exit_code);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RANK_EXIT_H_
