#include "tests/mpi/queues/account.h"

#include <algorithm>

namespace dfrun::testing {
namespace {

class Check {
 public:
  Check(const Round& round, const Account& account) : round_(round), account_(account) {}

  // Checks that a value that was taken from a queue or is left in it came from a put into it, once.
  Status TakeStock() {
    for (const StepPlan& step : round_.steps) {
      for (const Call& call : step.calls) {
        auto moved = account_.moved.find(call.name);
        if (!call.puts() && moved != account_.moved.end()) DF_TRY(Seen(call.queue, call.name, moved->second));
      }
    }
    for (size_t q = 0; q < round_.queues.size(); ++q) {
      const std::string& name = round_.queues[q].name;
      DF_TRY(Seen(static_cast<int>(q), name, account_.left.at(name)));
    }
    return Status();
  }

  // Removes the values that the puts explain.
  Status CheckPut(const Call& call) {
    bool missing = false;
    for (int64_t value : call.values) {
      const bool seen = seen_.erase({call.queue, value}) > 0;
      if (seen && missing) return Internal(call.name, " put ", value, " but not the value before it");
      missing = missing || !seen;
    }
    if (missing && Ended(call)) return Internal("a value that ", call.name, " put is lost");
    return Status();
  }

  Status CheckTake(const Call& call, bool may_be_less) const {
    auto moved = account_.moved.find(call.name);
    if (moved == account_.moved.end()) return Status();
    const auto taken = static_cast<int64_t>(moved->second.size());
    const int64_t wanted = call.form == Call::Form::kTakeOne ? 1 : call.wanted;
    if (taken == wanted) return Status();
    if (may_be_less && call.form == Call::Form::kTakeUpTo && taken > 0 && taken < wanted) return Status();
    return Internal(call.name, " took ", taken, " elements in place of ", wanted);
  }

  Status CheckAllExplained() const {
    if (seen_.empty()) return Status();
    return Internal("the value ", seen_.begin()->first.second, " was never put into queue ",
                    seen_.begin()->first.first);
  }

  bool Ended(const Call& call) const { return account_.moved.count(call.name) != 0; }

 private:
  Status Seen(int queue, const std::string& where, const std::vector<int64_t>& values) {
    for (int64_t value : values) {
      auto [other, is_new] = seen_.try_emplace({queue, value}, where);
      if (!is_new) return Internal("the value ", value, " is in both ", other->second, " and ", where);
    }
    return Status();
  }

  const Round& round_;
  const Account& account_;
  std::map<std::pair<int, int64_t>, std::string> seen_;  // the places in which a value was seen, by queue and value
};

Status CheckCompleteStep(const StepPlan& step, const Account& account, const Moved& delivered) {
  for (const Call& call : step.calls) {
    auto moved = account.moved.find(call.name);
    if (moved == account.moved.end()) return Internal(call.name, " has no note, but its step ended well");
    if (!call.puts() && delivered.at(call.name) != moved->second) {
      return Internal("what ", call.name, " took is not what its consumer got");
    }
  }
  return Status();
}

Status CheckLastStatus(Ending ending, const Status& status) {
  if (status.ok() && ending != Ending::kFailure) return Status();
  const bool closes = ending == Ending::kClose || ending == Ending::kCancel;
  if (closes && (status.code() == Code::kCancelled || status.code() == Code::kOutOfRange)) return Status();
  if (ending == Ending::kFailure && status.message().find(kPlanted) != std::string::npos) return Status();
  return Internal("the last step ended with ", status.ToString());
}

}  // namespace

Status CheckAccount(const Round& round, const Account& account, const Outcome& outcome) {
  Check check(round, account);
  DF_TRY(check.TakeStock());
  for (const StepPlan& step : round.steps) {
    const bool may_be_less = step.ending == Ending::kClose || step.ending == Ending::kCancel;
    for (const Call& call : step.calls) {
      DF_TRY(call.puts() ? check.CheckPut(call) : check.CheckTake(call, may_be_less));
    }
  }
  DF_TRY(check.CheckAllExplained());
  for (size_t i = 0; i < outcome.delivered.size(); ++i) {
    DF_TRY(CheckCompleteStep(round.steps[i], account, outcome.delivered[i]));
  }
  return CheckLastStatus(round.steps.back().ending, outcome.last);
}

}  // namespace dfrun::testing
