// Facts of an op that graph, passes, placer and autodiff ask for, beside its signature, shapes and gradient. Each
// default holds of an op of which nothing is said.
#ifndef DFRUN_SRC_FRAMEWORK_OP_OP_TRAITS_H_
#define DFRUN_SRC_FRAMEWORK_OP_OP_TRAITS_H_

#include <cstdint>

#include "src/framework/op/constant_value.h"
#include "src/framework/op/control_flow_kind.h"
#include "src/framework/op/cost.h"
#include "src/framework/op/elementwise_loop.h"
#include "src/framework/op/handle_content.h"
#include "src/framework/op/portable_form.h"
#include "src/framework/op/sample_rows.h"
#include "src/framework/op/wait_kind.h"

namespace dfrun {

// The relation of data outputs to inputs, for ops that hand a value on unchanged.
enum class Passthrough : uint8_t {
  kNone,
  kFirstInput,  // input 0; of a Merge, one of them
  kEachInput,   // the input of the output's number
};

// The way by which a value enters or leaves a device's part of a step, where the op does no more than that.
enum class Boundary : uint8_t { kNone, kFeed, kFetch, kSend, kRecv };

// For which values of its inputs the op gives its outputs, where the shapes are known and fit; for others it ends the
// step. A total op waits for nobody, either.
enum class Totality : uint8_t {
  kPartial,
  kTotalButForIntegers,  // integers are refused, as a divisor of 0 is
  kTotal,
};

struct OpTraits {
  Passthrough passthrough = Passthrough::kNone;
  Boundary boundary = Boundary::kNone;
  ControlFlowKind control_flow = ControlFlowKind::kNone;

  // Output 0 is a variable, by reference or by handle, that container and shared_name name.
  bool is_variable = false;
  // The variables behind the op's handles stay as they are.
  bool only_reads_variables = false;
  HandleContent handle_content;
  QueueKind queue = QueueKind::kNone;
  WaitKind wait = WaitKind::kNone;
  int waits_at = 0;  // number of the input with the object that it waits at

  Totality totality = Totality::kPartial;
  // Output 0 is input 1 where input 0 is true, else input 2.
  bool chooses = false;

  // Output 0 is no larger than input 0 and is made at no cost on the device that holds that.
  bool follows_first_input = false;
  // Output 0 is the rows of input 0, a tensor, at the indices in input 1.
  bool gathers_rows = false;

  Elementwise elementwise;
  PortableForm portable;
  ConstantsFn constant_values;  // empty: nothing is known of the outputs
  RowFn rows;                   // empty: the op may mix the samples of a batch
  CostFn cost;                  // never empty once the op is registered

  // TensorFlow has no op of this name.
  bool is_own() const { return portable.kind != PortableForm::Kind::kItself; }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_OP_TRAITS_H_
