// The nodes of a collective's participants, one a device, which the compilation of a graph makes
// (src/collectives/participant_exchange.h).
#include <utility>

#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The attrs of a participant. It is stateful, since its result depends on the others. `group` names the collective
// within its graph, `shape` is that of each participant's value; `implementation`, `ranks` and `channel` are known when
// all are placed.
void Participates(OpBuilder& op) {
  op.Attr("group: int").Attr("index: int").Attr("size: int >= 1").Attr("root: int = 0").Attr("shape: shape");
  op.Attr("implementation: string = ''").Attr("ranks: list(int) = []").Attr("channel: int = -1");
  op.Stateful().Own().Waits(WaitKind::kMeet);
}
void BringsNumbers(OpBuilder& op) {
  op.Input("input: T").Output("output: T").Attr("T: {bfloat16, half, float, double, int32, int64}");
}
void ParticipantReduces(OpBuilder& op) {
  op.As(BringsNumbers).Attr("reduction: {'Add', 'Mul', 'Min', 'Max', 'Mean'}").As(Participates);
}

// Sets dimension 0 of the output to rows_of(dimension 0 of the input, number of participants), if it is known; -1 from
// `rows_of` is an error.
Status SetRows(InferenceContext& c, int64_t (*rows_of)(int64_t rows, int64_t size)) {
  DF_ASSIGN(PartialShape shape, c.WithRankAtLeast(0, 1));
  DF_ASSIGN(const int64_t size, c.attr<int64_t>("size"));
  if (shape.known_rank() && shape.dim(0) >= 0) {
    const int64_t rows = rows_of(shape.dim(0), size);
    if (rows < 0) return InvalidArgument("values of shape ", shape, " do not fit ", size, " participants");
    shape.set_dim(0, rows);
  }
  c.set_output(0, std::move(shape));
  return Status();
}

// Each participant folds its part.
OpCost CollectiveSumCost(const CostContext& c) {
  return WholeCost(c, c.input_elements(0));
}

OP("_AllReduce")
    .As(ParticipantReduces)
    .Shape(SameAsInput(0))
    .Cost(&CollectiveSumCost)
    .Doc("What all participants of a group bring, folded in their order.");

OP("_ReduceScatter")
    .As(ParticipantReduces)
    .Shape([](InferenceContext& c) {
      return SetRows(c, [](int64_t rows, int64_t size) { return rows % size == 0 ? rows / size : -1; });
    })
    .Cost(&CollectiveSumCost)
    .Doc("The index-th part along dimension 0 of what all participants of a group bring, folded in their order.");

OP("_AllGather")
    .As(BringsNumbers)
    .As(Participates)
    .Shape([](InferenceContext& c) {
      return SetRows(c, [](int64_t rows, int64_t size) {
        int64_t all = 0;
        return __builtin_mul_overflow(rows, size, &all) ? -1 : all;
      });
    })
    .Cost(CopyCost())
    .Doc("What all participants of a group bring, one behind the other along dimension 0.");

void BroadcastTypes(OpBuilder& op) {
  op.Output("output: T").Attr("T: {bool, bfloat16, half, float, double, int32, int64}");
}
OP("_BroadcastSend")
    .Input("input: T")
    .As(BroadcastTypes)
    .As(Participates)
    .Shape(SameAsInput(0))
    .Cost(CopyCost())
    .Doc("Gives its input to the other participants of its group, and hands it on.");

OP("_BroadcastRecv")
    .As(BroadcastTypes)
    .As(Participates)
    .Shape(ShapeFromAttr("shape"))
    .Cost(CopyCost())
    .Doc("What the _BroadcastSend of its group gives.");

}  // namespace
}  // namespace dfrun
