#include "src/framework/op/op.h"

namespace dfrun {

// The contents of a file are state: no pass may read a file while it looks at a graph.

OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Cost(CopyCost())
    .Doc("All bytes of a file.");

OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      return c.WithRank(1, 0).status();
    })
    .Cost(CopyCost())
    .Doc("Makes a file of these bytes, and the directories that it needs: readers see the old content or the new.");

OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      if (c.input(0).known_rank() && c.input(0).rank() > 1) {
        return InvalidArgument("patterns must be a scalar or a vector, but have shape ", c.input(0));
      }
      c.set_output(0, PartialShape({PartialShape::kUnknown}));
      return Status();
    })
    .Doc("The files, sorted, whose paths fit one of the patterns.");

}  // namespace dfrun
