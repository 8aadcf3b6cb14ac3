// Candidate samplers: classes that stand for all others in a loss, and how often each may be expected among them.
#include "kernels/random/random_op.h"

namespace dfrun {
namespace {

Status CandidateShape(InferenceContext& c) {
  DF_ASSIGN(const int64_t num_sampled, c.attr<int64_t>("num_sampled"));
  DF_ASSIGN(const int64_t num_true, c.attr<int64_t>("num_true"));
  DF_ASSIGN(const PartialShape true_classes, c.WithRank(0, 2));
  c.set_output(0, PartialShape({num_sampled}));
  c.set_output(1, PartialShape({true_classes.dim(0), num_true}));
  c.set_output(2, PartialShape({num_sampled}));
  return Status();
}

void Sampler(OpBuilder& op) {
  op.Input("true_classes: int64");
  op.Output("sampled_candidates: int64").Output("true_expected_count: float").Output("sampled_expected_count: float");
  op.Attr("num_true: int >= 1").Attr("num_sampled: int >= 1").Attr("unique: bool");
  op.As(random_op::StatefulSource).Shape(CandidateShape);
}

void SamplerOfRange(OpBuilder& op) {
  op.As(Sampler).Attr("range_max: int >= 1");
}

Status HitsShape(InferenceContext& c) {
  DF_ASSIGN(const int64_t num_true, c.attr<int64_t>("num_true"));
  DF_TRY(c.input(0).Merge(PartialShape({PartialShape::kUnknown, num_true})).status());
  DF_TRY(c.WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) c.set_output(i, PartialShape::UnknownOfRank(1));
  return Status();
}

}  // namespace

OP("UniformCandidateSampler")
    .As(SamplerOfRange)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Candidates drawn uniformly from the classes [0, range_max).");

OP("LogUniformCandidateSampler")
    .As(SamplerOfRange)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Candidates from the classes [0, range_max), each in proportion to log((class + 2) / (class + 1)).");

OP("LearnedUnigramCandidateSampler")
    .As(SamplerOfRange)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("Candidates from the classes [0, range_max), in proportion to how often true_classes has held each so far.");

OP("ThreadUnsafeUnigramCandidateSampler")
    .As(SamplerOfRange)
    .Cost(ElementwiseCost(random_op::kRandomFlops))
    .Doc("As LearnedUnigramCandidateSampler; here it may be used from any thread too.");

OP("AllCandidateSampler").As(Sampler).Doc("All classes [0, num_sampled), each once.");

OP("ComputeAccidentalHits")
    .Input("true_classes: int64")
    .Input("sampled_candidates: int64")
    .Output("indices: int32")
    .Output("ids: int64")
    .Output("weights: float")
    .Attr("num_true: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Shape(HitsShape)
    .NotDifferentiable()
    .Doc(
        "Where a row's true classes are among the candidates: the row, the candidate's index, and the lowest float, "
        "to be added to its logit.");

}  // namespace dfrun
