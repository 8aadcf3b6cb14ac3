// A request for a report of what this process is waiting for, as SIGUSR2 makes it.
#ifndef DFRUN_SRC_BASE_REPORT_REQUEST_H_
#define DFRUN_SRC_BASE_REPORT_REQUEST_H_

namespace dfrun {

// From now on SIGUSR2 asks for a report. Before other threads start.
void CatchReportSignal();

// True once for the requests so far. Thread safety: any thread.
bool TakeReportRequest();

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_REPORT_REQUEST_H_
