// The main() of each program of dfrun: reads the command line, runs one subcommand, turns its outcome into an exit
// code.
//
// dfrun is one program; a command with Command::program is another one, which stands beside it.
#ifndef DFRUN_JOBS_PROGRAM_H_
#define DFRUN_JOBS_PROGRAM_H_

#include <functional>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun::jobs {

// Replaces this process by the program of the command that `argv` names, with the same arguments and environment.
// Returns OK if this program has that command itself. Returns an error, IoError, if there is no such program beside
// this one, or it cannot be started. Call it before anything else of the process begins.
Status StartProgramOf(char** argv);

// Changes the words behind the program's name before they are read.
using CompleteWords = std::function<Status(std::vector<std::string>& words)>;

// Runs the program and returns its exit code.
int RunProgram(int argc, char** argv, const CompleteWords& complete);

// Prints why a program did not begin, and returns its exit code.
int NotBegun(const Status& status);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PROGRAM_H_
