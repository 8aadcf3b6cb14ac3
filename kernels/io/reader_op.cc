// Readers and the ops on them. The ops without V2 take handles as references to strings, those with it as resources.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void ByReference(OpBuilder& op) {
  op.Output("reader_handle: Ref(string)").Shape(ReferenceHandleShape);
}

void ByResource(OpBuilder& op) {
  op.Output("reader_handle: resource").Shape(ScalarOutputs());
}

void TextLines(OpBuilder& op) {
  op.Attr("skip_header_lines: int = 0").As(DeviceResource).Doc("A reader of the lines of files.");
}
void WholeFiles(OpBuilder& op) {
  op.As(DeviceResource).Doc("A reader whose records are whole files.");
}
void FixedLength(OpBuilder& op) {
  op.Attr("header_bytes: int = 0").Attr("record_bytes: int").Attr("footer_bytes: int = 0").Attr("hop_bytes: int = 0");
  op.As(DeviceResource).Doc("A reader of records of one size.");
}
void TfRecords(OpBuilder& op) {
  op.As(DeviceResource).Attr("compression_type: string = ''").Doc("A reader of the records of TFRecord files.");
}
void Identities(OpBuilder& op) {
  op.As(DeviceResource).Doc("A reader whose records are the entries of its queue.");
}

void TakesReader(OpBuilder& op) {
  op.Input("reader_handle: Ref(string)").NotDifferentiable();
}
void TakesReaderV2(OpBuilder& op) {
  op.Input("reader_handle: resource").Stateful().NotDifferentiable();
}
void TakesQueue(OpBuilder& op) {
  op.As(TakesReader).Input("queue_handle: Ref(string)").Waits(WaitKind::kTake, 1);
}
void TakesQueueV2(OpBuilder& op) {
  op.As(TakesReaderV2).Input("queue_handle: resource").Waits(WaitKind::kTake, 1);
}

void Reads(OpBuilder& op) {
  op.Output("key: string").Output("value: string").Shape(ScalarOutputs());
  op.Doc("The next record and its name; the queue gives the next file where one has ended.");
}
void ReadsUpTo(OpBuilder& op) {
  op.Input("num_records: int64").Output("keys: string").Output("values: string");
  op.Shape([](InferenceContext& c) -> Status {
    DF_TRY(c.WithRank(2, 0).status());
    for (int i : {0, 1}) c.set_output(i, PartialShape({PartialShape::kUnknown}));
    return Status();
  });
  op.Doc("Up to num_records records and their names, fewer where a file ends.");
}
void CountsRecords(OpBuilder& op) {
  op.Output("records_produced: int64").Shape(ScalarOutputs()).Doc("The number of records that the reader has given.");
}
void CountsWork(OpBuilder& op) {
  op.Output("units_completed: int64").Shape(ScalarOutputs()).Doc("The number of files that the reader has ended.");
}
void Serializes(OpBuilder& op) {
  op.Output("state: string").Shape(ScalarOutputs()).Doc("The state of the reader, for ReaderRestoreState.");
}
void Restores(OpBuilder& op) {
  op.Input("state: string").Shape([](InferenceContext& c) { return c.WithRank(1, 0).status(); });
  op.Doc("Sets the reader to a state of ReaderSerializeState.");
}
void Resets(OpBuilder& op) {
  op.Doc("Sets the reader to its first state; the queue keeps what it has.");
}

OP("TextLineReader").As(ByReference).As(TextLines);
OP("TextLineReaderV2").As(ByResource).As(TextLines);
OP("WholeFileReader").As(ByReference).As(WholeFiles);
OP("WholeFileReaderV2").As(ByResource).As(WholeFiles);
OP("FixedLengthRecordReader").As(ByReference).As(FixedLength);
OP("FixedLengthRecordReaderV2").As(ByResource).As(FixedLength).Attr("encoding: string = ''");
OP("TFRecordReader").As(ByReference).As(TfRecords);
OP("TFRecordReaderV2").As(ByResource).As(TfRecords);
OP("IdentityReader").As(ByReference).As(Identities);
OP("IdentityReaderV2").As(ByResource).As(Identities);

OP("ReaderRead").As(TakesQueue).As(Reads);
OP("ReaderReadV2").As(TakesQueueV2).As(Reads);
OP("ReaderReadUpTo").As(TakesQueue).As(ReadsUpTo);
OP("ReaderReadUpToV2").As(TakesQueueV2).As(ReadsUpTo);
OP("ReaderNumRecordsProduced").As(TakesReader).As(CountsRecords);
OP("ReaderNumRecordsProducedV2").As(TakesReaderV2).As(CountsRecords);
OP("ReaderNumWorkUnitsCompleted").As(TakesReader).As(CountsWork);
OP("ReaderNumWorkUnitsCompletedV2").As(TakesReaderV2).As(CountsWork);
OP("ReaderSerializeState").As(TakesReader).As(Serializes);
OP("ReaderSerializeStateV2").As(TakesReaderV2).As(Serializes);
OP("ReaderRestoreState").As(TakesReader).As(Restores);
OP("ReaderRestoreStateV2").As(TakesReaderV2).As(Restores);
OP("ReaderReset").As(TakesReader).As(Resets);
OP("ReaderResetV2").As(TakesReaderV2).As(Resets);

}  // namespace
}  // namespace dfrun
