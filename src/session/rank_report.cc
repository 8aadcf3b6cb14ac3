#include "src/session/rank_report.h"

#include <map>
#include <utility>

#include "src/executor/step/plan_snapshot.h"
#include "src/framework/op/op.h"
#include "src/session/local_executable.h"

namespace dfrun {
namespace {

constexpr int kMaxBlocked = 100;  // bound of those listed

WaitKind KindOf(const ExecPlan& plan, uint32_t node) {
  return plan.info(node).op->traits.wait;
}

// Adds one plan's part to a report.
class PlanReport {
 public:
  PlanReport(ExecPlan& plan, control::RankReport& report) : plan_(plan), report_(report), look_(LookAt(plan)) {
    for (const BlockingInfo& blocking : plan.blocking_infos()) blocking_infos_.emplace(blocking.node, &blocking);
  }

  void Add() {
    if (look_.steps_at_work > 0) SayAtWork(StrCat("computes on ", plan_.device().full_name()));
    for (const StartedNode& started : look_.started) {
      AddActivity(started);
      const WaitKind kind = KindOf(plan_, started.node);
      if (kind == WaitKind::kSend && !started.in_loop) AddSent(started);
      if (started.has_ended) continue;
      if (kind == WaitKind::kNone) {
        SayAtWork(StrCat("is in ", plan_.info(started.node).op->name, " '", plan_.info(started.node).name, "'"));
      } else if (report_.blocked_size() == kMaxBlocked) {
        report_.set_more_blocked(report_.more_blocked() + 1);
      } else {
        AddBlocked(started, kind);
      }
    }
  }

 private:
  void SayAtWork(const std::string& what) {
    if (report_.at_work().empty()) report_.set_at_work(what);
  }

  // A sum, for the order of the nodes is by chance.
  void AddActivity(const StartedNode& started) {
    uint64_t hash = plan_.id();
    for (const uint64_t part :
         {uint64_t{started.node}, static_cast<uint64_t>(started.step_id), uint64_t{started.has_ended ? 1U : 0U}}) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    report_.set_activity(report_.activity() + hash);
  }

  void AddSent(const StartedNode& started) {
    const auto blocking = blocking_infos_.find(started.node);
    if (blocking == blocking_infos_.end()) return;
    control::SentValue& sent = *report_.add_sent();
    sent.set_channel(blocking->second->channel);
    sent.set_step(started.step_id);
    sent.set_has_left(started.has_ended);
  }

  void AddBlocked(const StartedNode& started, WaitKind kind) {
    const NodeInfo& info = plan_.info(started.node);
    control::BlockedNode& blocked = *report_.add_blocked();
    blocked.set_name(info.name);
    blocked.set_op(info.op->name);
    blocked.set_kind(static_cast<int>(kind));
    blocked.set_step(started.step_id);
    blocked.set_in_loop(started.in_loop);
    if (const auto blocking = blocking_infos_.find(started.node); blocking != blocking_infos_.end()) {
      blocked.set_subject(blocking->second->subject);
      blocked.set_channel(blocking->second->channel);
      blocked.set_peer(blocking->second->peer);
      blocked.set_group(blocking->second->group);
    }
    for (const uint32_t behind : NodesBehind(plan_, started.node)) AddBehind(behind, blocked);
  }

  void AddBehind(uint32_t node, control::BlockedNode& blocked) const {
    const auto found = blocking_infos_.find(node);
    if (found == blocking_infos_.end()) return;
    const BlockingInfo& blocking = *found->second;
    switch (KindOf(plan_, node)) {
      case WaitKind::kSend:
        blocked.add_sends(blocking.channel);
        break;
      case WaitKind::kMeet:
        blocked.add_meets(blocking.group);
        break;
      case WaitKind::kPut:
        blocked.add_puts(blocking.subject);
        break;
      case WaitKind::kTake:
        blocked.add_takes(blocking.subject);
        break;
      case WaitKind::kClose:
        blocked.add_puts(blocking.subject);
        blocked.add_takes(blocking.subject);
        break;
      case WaitKind::kRelease:
        blocked.set_releases(true);
        break;
      case WaitKind::kNone:
      case WaitKind::kRecv:
      case WaitKind::kLock:
        break;
    }
  }

  ExecPlan& plan_;
  control::RankReport& report_;
  const PlanSnapshot look_;
  std::map<uint32_t, const BlockingInfo*> blocking_infos_;  // by node
};

}  // namespace

control::RankReport MakeRankReport(const ReportSource& source) {
  control::RankReport report;
  report.set_rank(source.rank);
  report.set_host(source.host);
  report.set_progress(source.progress);
  source.parts.ForEach([&](LocalExecutable& part) {
    for (const auto& plan : part.plans) PlanReport(*plan, report).Add();
  });
  if (report.at_work().empty() && !source.pool.IsQuiet()) report.set_at_work("is at work between steps");
  return report;
}

}  // namespace dfrun
