#include "kernels/strings/string_ops.h"

namespace dfrun {
namespace {

void MatchesStrings(OpBuilder& op) {
  op.Input("input: string").Output("output: bool").NotDifferentiable().Shape(SameAsInput(0));
}

// The inputs after the first are scalars.
Status WithScalars(InferenceContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) DF_TRY(c.WithRank(i, 0).status());
  c.set_output(0, c.input(0));
  return Status();
}

}  // namespace

OP("RegexReplace")
    .As(MapsStrings)
    .Input("pattern: string")
    .Input("rewrite: string")
    .Attr("replace_global: bool = true")
    .Shape(&WithScalars)
    .Doc("Replaces matches of a regular expression of RE2, all or the first; \\\\1 in the rewrite is a group.");

OP("StaticRegexReplace")
    .As(MapsStrings)
    .Attr("pattern: string")
    .Attr("rewrite: string")
    .Attr("replace_global: bool = true")
    .Doc("RegexReplace with a fixed pattern.");

OP("RegexFullMatch")
    .As(MatchesStrings)
    .Input("pattern: string")
    .Shape(&WithScalars)
    .Doc("True where the regular expression of RE2 matches the whole string.");

OP("StaticRegexFullMatch").As(MatchesStrings).Attr("pattern: string").Doc("RegexFullMatch with a fixed pattern.");

}  // namespace dfrun
