// A request for a report of this process's waits, as SIGUSR2 makes it.
#ifndef DFRUN_SRC_BASE_REPORT_REQUEST_H_
#define DFRUN_SRC_BASE_REPORT_REQUEST_H_

namespace dfrun {

// Makes SIGUSR2 ask for a report from now on. Call before other threads start.
void CatchReportSignal();

// Returns true once for the requests so far.
// Thread safety: any thread.
bool TakeReportRequest();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_REPORT_REQUEST_H_
