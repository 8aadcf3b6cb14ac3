// The handler of exceptions that nothing catches. Mostly there is no memory for something other than a tensor, or no
// thread can be started.
#ifndef DFRUN_JOBS_UNCAUGHT_H_
#define DFRUN_JOBS_UNCAUGHT_H_

namespace dfrun::jobs {

// Reports such an exception on stderr from now on, and ends the process with exit code 74 if memory or threads are
// lacking, otherwise with 70. Under a launcher the other ranks end with it.
void HandleUncaughtExceptions();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_UNCAUGHT_H_
