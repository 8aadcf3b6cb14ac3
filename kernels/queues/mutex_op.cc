// Mutexes between steps and devices' nodes. MutexAcquire and MutexRelease are dfrun's own names of the white paper's
// ops; MutexLock and ConsumeMutexLock are TensorFlow's.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void Locks(OpBuilder& op) {
  op.Input("mutex: resource").Output("mutex_lock: variant").Shape(ScalarOutputs()).Stateful().NotDifferentiable();
  op.Waits(WaitKind::kLock);
  op.Doc(
      "Waits for the mutex and holds it, until the lock is released, nothing refers to it any more, or the step has "
      "ended.");
}

void Unlocks(OpBuilder& op) {
  op.Input("mutex_lock: variant").Stateful().NotDifferentiable().Waits(WaitKind::kRelease);
  op.Doc("Releases the mutex that a lock holds, once.");
}

OP("MutexV2").Output("resource: resource").As(DeviceResource).Shape(ScalarOutputs()).Doc("A mutex of the device.");
OP("MutexLock").As(Locks).Cost(NoCost());
OP("MutexAcquire").As(Locks).Own().Cost(NoCost());
OP("ConsumeMutexLock").As(Unlocks).Cost(NoCost());
OP("MutexRelease").As(Unlocks).Own().Cost(NoCost());

}  // namespace
}  // namespace dfrun
