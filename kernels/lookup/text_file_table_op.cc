#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("InitializeTableFromTextFileV2")
    .Input("table_handle: resource")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .Attr("value_index: int >= -2")
    .Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\t'")
    .Attr("offset: int = 0")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      return c.WithRank(1, 0).status();
    })
    .Doc(
        "Fills a table that is filled once from the lines of a file: a key and a value are a column of a line, the "
        "whole line (-2) or its number (-1), counted from offset on.");

}  // namespace
}  // namespace dfrun
