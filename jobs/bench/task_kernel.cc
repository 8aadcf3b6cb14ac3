#include "jobs/bench/task_kernel.h"

#include "kernels/device/cpu_kernel.h"
#include "src/framework/op/op.h"

namespace dfrun::jobs {
namespace {

int64_t g_turns = 0;

class TaskKernel : public Kernel {
 public:
  explicit TaskKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    double sum = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) sum += ctx.input(i).scalar<double>();
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &output));
    *output->data<double>() = RunTask(sum, g_turns);
    return Status();
  }
};

// The op is stateful, so that equal tasks are not merged.
OP("_BenchTask")
    .Input("inputs: N * double")
    .Output("output: double")
    .Attr("N: int >= 0")
    .Stateful()
    .Shape([](InferenceContext& c) {
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Own()
    .Doc("A task of a benchmark: sums its inputs, and computes for a while.");

CPU_KERNEL_ANY("_BenchTask", TaskKernel);

}  // namespace

void SetTaskTurns(int64_t turns) {
  g_turns = turns;
}

int64_t TaskTurns() {
  return g_turns;
}

double RunTask(double start, int64_t turns) {
  double x = start;
  for (int64_t i = 0; i < turns; ++i) x = x * 0.999 + 1e-3;
  return x;
}

}  // namespace dfrun::jobs
