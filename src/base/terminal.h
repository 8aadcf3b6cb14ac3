// Output for a person's terminal, and for files and pipes.
#ifndef DFRUN_SRC_BASE_TERMINAL_H_
#define DFRUN_SRC_BASE_TERMINAL_H_

#include <cstdio>
#include <string_view>

namespace dfrun {

// Whether a person's terminal is at the other end of `out`, the standard output or error. Under Open MPI, which puts a
// terminal or a pipe of its own before every rank, the launcher's output tells, where it runs on this host.
bool IsTerminal(std::FILE* out);

// Waits until something can be written to `out`, a pipe whose reader sleeps or a terminal that is held. False where
// nothing can be a second after this process was asked to stop (stop_request.h): an output that nobody reads must not
// keep it from ending. A line of up to 4 KiB can then be written at once.
// Blocks: until then.
bool IsTaken(std::FILE* out);

// Writes text that may hold anything: as WithoutControls() (printable.h) makes it where the standard output or error is
// a terminal, which was looked at once, else its bytes.
// Thread safety: any thread; one call's text stays together.
void WriteText(std::FILE* out, std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_TERMINAL_H_
