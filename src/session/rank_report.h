// Makes this rank's report about steps that do not go on.
#ifndef DFRUN_SRC_SESSION_RANK_REPORT_H_
#define DFRUN_SRC_SESSION_RANK_REPORT_H_

#include <cstdint>
#include <string>

#include "src/executor/step/worker_pool.h"
#include "src/session/part_list.h"
#include "src/session/rank_report.pb.h"

namespace dfrun {

struct ReportSource {
  int rank = 0;
  std::string host;
  int64_t progress = 0;
  PartList& parts;
  WorkerPool& pool;
};

// Makes the report; takes some milliseconds where the rank is busy.
// Thread safety: any thread.
control::RankReport MakeRankReport(const ReportSource& source);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_RANK_REPORT_H_
