// Writes reports apart from the thread that makes them, which must not wait for a terminal that does not read.
#ifndef DFRUN_SRC_SESSION_REPORT_WRITER_H_
#define DFRUN_SRC_SESSION_REPORT_WRITER_H_

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "src/base/log.h"

namespace dfrun {

// Thread safety: one thread.
class ReportWriter {
 public:
  ReportWriter() = default;
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;
  ~ReportWriter() { Join(); }

  // Writes a report on a thread of its own. Never waits: a report is left out while another is being written.
  void Write(std::string report) {
    if (is_writing_.exchange(true)) return;
    Join();
    thread_ = std::thread([this, report = std::move(report)] {
      DF_LOG(kWarning) << report;
      is_writing_ = false;
    });
  }

 private:
  void Join() {
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> is_writing_{false};
  std::thread thread_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_REPORT_WRITER_H_
