// What ends the program where an exception is caught nowhere: mostly that there is no memory for something that is no
// tensor, or no thread to be had.
#ifndef DFRUN_JOBS_UNCAUGHT_H_
#define DFRUN_JOBS_UNCAUGHT_H_

namespace dfrun::jobs {

// From now on such an exception is said on stderr, and the process ends with 74 where memory or threads are lacking,
// with 70 otherwise. Under a launcher the other ranks end with it.
void HandleUncaughtExceptions();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_UNCAUGHT_H_
