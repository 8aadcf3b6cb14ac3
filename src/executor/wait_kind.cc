#include "src/executor/wait_kind.h"

#include <string_view>

#include "src/framework/collective.h"

namespace dfrun {
namespace {

struct Family {
  std::string_view begins;  // the op's name
  WaitKind kind;
};

// TensorFlow's ops, of all versions ("QueueDequeueManyV2").
constexpr Family kFamilies[] = {{"QueueEnqueue", WaitKind::kPut},
                                {"QueueDequeue", WaitKind::kTake},
                                {"QueueClose", WaitKind::kClose},
                                {"MutexLock", WaitKind::kLock},
                                {"MutexAcquire", WaitKind::kLock},
                                {"ConsumeMutexLock", WaitKind::kRelease},
                                {"MutexRelease", WaitKind::kRelease},
                                {"ReaderRead", WaitKind::kTake},
                                {"AccumulatorApplyGradient", WaitKind::kPut},
                                {"AccumulatorTakeGradient", WaitKind::kTake},
                                {"SparseAccumulatorApplyGradient", WaitKind::kPut},
                                {"SparseAccumulatorTakeGradient", WaitKind::kTake},
                                {"ResourceAccumulatorApplyGradient", WaitKind::kPut},
                                {"ResourceAccumulatorTakeGradient", WaitKind::kTake}};

}  // namespace

WaitKind WaitKindOf(const OpDef& op) {
  if (op.traits.boundary == Boundary::kSend) return WaitKind::kSend;
  if (op.traits.boundary == Boundary::kRecv) return WaitKind::kRecv;
  if (IsParticipantOp(op.name)) return WaitKind::kMeet;
  for (const Family& family : kFamilies) {
    if (op.name.starts_with(family.begins)) return family.kind;
  }
  return WaitKind::kNone;
}

}  // namespace dfrun
