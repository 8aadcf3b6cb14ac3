#include "src/session/start_tasks.h"

#include <filesystem>
#include <string>
#include <vector>

#include "src/session/control/control.pb.h"
#include "src/session/control/control_error.h"
#include "src/session/control/control_plane.h"
#include "src/session/control_round.h"
#include "src/session/grace_period_watchdog.h"

namespace dfrun {
namespace {

// Adds absolute roots to relative ones: ranks need not be in one directory, so a relative root means both rank 0's and
// that of the rank that opens a file.
FileRules WithAbsoluteRoots(FileRules rules) {
  for (std::vector<std::string>* const all : {&rules.roots, &rules.write_roots}) {
    const std::vector<std::string> roots = *all;
    for (const std::string& root : roots) all->push_back(std::filesystem::absolute(root).string());
  }
  return rules;
}

control::Message MakeRequest(const DeviceName& task, const FileRules& rules, const MemoryLimits& limits,
                             const Runtime& runtime) {
  control::Message request;
  control::StartTask* start = request.mutable_start_task();
  start->set_job(*task.job);
  start->set_task(*task.task);
  control::StartTask::Files* const files = start->mutable_files();
  files->set_is_confined(rules.is_confined);
  files->set_trusts_inputs(rules.trusts_inputs);
  for (const std::string& root : rules.roots) files->add_roots(root);
  for (const std::string& root : rules.write_roots) files->add_write_roots(root);
  files->set_run_directory(rules.run_directory);
  files->set_may_replace(rules.may_replace);
  files->set_begin_ns(rules.begin_ns);
  for (const auto& [type, limit] : limits) {
    control::StartTask::MemoryLimit* const of_type = start->add_memory_limits();
    of_type->set_type(type);
    of_type->set_bytes(limit.bytes);
    of_type->set_share(limit.share);
  }
  start->set_saves(runtime.stop() != nullptr && runtime.stop()->saves());
  return request;
}

}  // namespace

Result<Cluster> StartTasks(Runtime& runtime, const SessionOptions& options) {
  DF_ASSIGN(const std::vector<DeviceName> tasks, AssignTasks(options.jobs, runtime.size()));
  const FileRules rules = WithAbsoluteRoots(options.files);
  const Status own = runtime.StartTask(*tasks[0].job, *tasks[0].task, rules, options.memory_limits);
  if (runtime.size() == 1) {
    DF_TRY(own);
  } else {
    ControlRound round(runtime);
    for (int rank = 1; rank < runtime.size(); ++rank) {
      control::Message request = MakeRequest(tasks[static_cast<size_t>(rank)], rules, options.memory_limits, runtime);
      request.set_round(round.number());
      runtime.control()->SendTo(rank, request);
    }
    DF_TRY(round.Finish(StatusNow(own)));
  }
  return MakeCluster(tasks, runtime.ReportsOfRanks());
}

}  // namespace dfrun
