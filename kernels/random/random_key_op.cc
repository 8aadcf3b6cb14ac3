// Ops that turn seeds into the key, counter and algorithm that the V2 forms of the stateless random ops take.
#include "kernels/random/random_op.h"

namespace dfrun {
namespace {

// Sizes of a key and of a counter, in 64-bit words.
constexpr int64_t kKeyWords = 1;
constexpr int64_t kCounterWords = 2;

Status KeyShape(InferenceContext& c) {
  DF_TRY(random_op::CheckVector(c, 0, 2));
  c.set_output(0, PartialShape({kKeyWords}));
  c.set_output(1, PartialShape({kCounterWords}));
  if (c.num_outputs() > 2) c.set_output(2, PartialShape::Scalar());
  return Status();
}

void KeyOfSeed(OpBuilder& op) {
  op.As(random_op::SeedInput).Output("key: uint64").Output("counter: uint64");
  op.Attr("Tseed: {int32, int64} = int64").Shape(KeyShape);
}

}  // namespace

OP("StatelessRandomGetKeyCounter").As(KeyOfSeed).Doc("The key and counter of the generator that a seed names.");

OP("StatelessRandomGetKeyCounterAlg")
    .As(KeyOfSeed)
    .Output("alg: int32")
    .Doc("The key and counter of the generator that a seed names, and the number of its algorithm (Philox, 1).");

OP("StatelessRandomGetAlg")
    .Output("alg: int32")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Doc("The number of the random algorithm of this device: Philox, 1.");

}  // namespace dfrun
