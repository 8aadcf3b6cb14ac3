#include "src/graph/graph_def/graph_def_parse.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <limits>
#include <memory>

namespace dfrun {
namespace {

namespace pb = google::protobuf;

constexpr int kMaxMessageNesting = 100;  // nesting of messages: functions as attrs of functions, full types

// Keeps the first error.
class FirstError final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Status ParseBinary(std::string_view data, pb::Message& def) {
  pb::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(data.data()), static_cast<int>(data.size()));
  input.SetRecursionLimit(kMaxMessageNesting);
  if (def.ParseFromCodedStream(&input) && input.ConsumedEntireMessage()) return Status();
  return InvalidArgument("the bytes are no ", def.GetDescriptor()->name(),
                         ": the file is damaged, cut short, or of another kind");
}

Status ParseText(std::string_view data, bool allow_unknown, pb::Message& def) {
  pb::io::ArrayInputStream input(data.data(), static_cast<int>(data.size()));
  FirstError error;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxMessageNesting);
  parser.AllowUnknownField(allow_unknown);
  parser.AllowUnknownExtension(allow_unknown);
  if (!parser.Parse(&input, &def)) {
    return InvalidArgument(error.text().empty() ? StrCat("the text is no ", def.GetDescriptor()->name())
                                                : error.text());
  }
  // Text may hold names that are not UTF-8, which the binary form refuses: such a graph could not be sent to other
  // ranks.
  const std::unique_ptr<pb::Message> again(def.New());
  if (ParseBinary(def.SerializeAsString(), *again).ok()) return Status();
  return InvalidArgument("a name in the text is not valid UTF-8");
}

Status Parse(std::string_view data, GraphDefFormat format, bool allow_unknown, pb::Message& message) {
  if (data.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return InvalidArgument("a ", message.GetDescriptor()->name(), " of ", data.size(),
                           " bytes is beyond protobuf's limit of 2 GiB");
  }
  const pb::LogSilencer quiet;  // protobuf would print names that are not UTF-8
  return format == GraphDefFormat::kText ? ParseText(data, allow_unknown, message) : ParseBinary(data, message);
}

}  // namespace

Status ParseGraphDef(std::string_view data, GraphDefFormat format, proto::GraphDef& def) {
  return Parse(data, format, /*allow_unknown=*/false, def);
}

Status ParseMessage(std::string_view data, GraphDefFormat format, pb::Message& message) {
  return Parse(data, format, /*allow_unknown=*/true, message);
}

std::string SerializeDeterministically(const pb::MessageLite& message) {
  std::string out;
  pb::io::StringOutputStream stream(&out);
  pb::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  DF_CHECK(message.SerializeToCodedStream(&coded));
  coded.Trim();
  return out;
}

std::string PrintGraphDef(const proto::GraphDef& def) {
  std::string out;
  DF_CHECK(pb::TextFormat::PrintToString(def, &out));
  return out;
}

}  // namespace dfrun
