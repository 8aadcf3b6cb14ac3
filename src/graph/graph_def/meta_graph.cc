#include "src/graph/graph_def/meta_graph.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/base/text.h"
#include "src/graph/proto/meta_graph.pb.h"
#include "src/graph/proto/queue_runner.pb.h"
#include "src/graph/proto/variable.pb.h"

namespace dfrun {
namespace {

constexpr char kInitSignature[] = "__saved_model_init_op";
constexpr char kTrainSignature[] = "__saved_model_train_op";
constexpr int kOutOfRange = 11;

// The node of an output or a control input, since names in collections may have either form.
std::string NodeOf(std::string_view name) {
  if (name.starts_with('^')) name.remove_prefix(1);
  return std::string(name.substr(0, name.find(':')));
}

void AddTensors(const std::string& key, const proto::TensorInfo& info, std::vector<SignatureTensor>& out) {
  if (info.has_coo_sparse()) {
    out.push_back({key + "/dense_shape", info.coo_sparse().dense_shape_tensor_name()});
    out.push_back({key + "/indices", info.coo_sparse().indices_tensor_name()});
    out.push_back({key + "/values", info.coo_sparse().values_tensor_name()});
  } else if (info.has_composite_tensor()) {
    for (int i = 0; i < info.composite_tensor().components_size(); ++i) {
      out.push_back({StrCat(key, "/", i), info.composite_tensor().components(i).name()});
    }
  } else {
    out.push_back({key, info.name()});
  }
}

std::vector<SignatureTensor> ReadTensors(const google::protobuf::Map<std::string, proto::TensorInfo>& infos) {
  std::vector<SignatureTensor> out;
  for (const auto& [key, info] : infos) AddTensors(key, info, out);
  std::sort(out.begin(), out.end(), [](const SignatureTensor& a, const SignatureTensor& b) { return a.key < b.key; });
  return out;
}

// Reads one MetaGraphDef.
class MetaGraphReader {
 public:
  MetaGraphReader(proto::MetaGraphDef& def, const std::string& directory) : def_(def), directory_(directory) {}

  Result<MetaGraph> Run() {
    const auto& tags = def_.meta_info_def().tags();
    out_.tags.assign(tags.begin(), tags.end());
    for (const auto& [name, signature] : def_.signature_def()) {
      if (name == kInitSignature || name == kTrainSignature) continue;
      out_.signatures[name] = {signature.method_name(), ReadTensors(signature.inputs()),
                               ReadTensors(signature.outputs())};
    }
    DF_TRY(ReadRunners());
    DF_TRY(ReadVariables());
    for (std::string& node : NodesOf("table_initializer")) out_.table_inits.push_back(std::move(node));
    out_.init_op = InitOp();
    DF_TRY(BindAssets());
    return std::move(out_);
  }

 private:
  const proto::CollectionDef* Find(const char* name) const {
    const auto found = def_.collection_def().find(name);
    return found == def_.collection_def().end() ? nullptr : &found->second;
  }

  std::vector<std::string> NodesOf(const char* collection) const {
    std::vector<std::string> nodes;
    const proto::CollectionDef* found = Find(collection);
    if (found == nullptr) return nodes;
    for (const std::string& name : found->node_list().value()) nodes.push_back(NodeOf(name));
    return nodes;
  }

  // Calls add(message) for each message of type M that the collection holds as bytes.
  template <class M, class Add>
  Status ForEachMessage(const char* collection, Add&& add) const {
    const proto::CollectionDef* found = Find(collection);
    if (found == nullptr) return Status();
    for (const std::string& bytes : found->bytes_list().value()) {
      M message;
      if (!message.ParseFromString(bytes)) return InvalidArgument("its collection '", collection, "' is damaged");
      add(message);
    }
    return Status();
  }

  Status ReadRunners() {
    return ForEachMessage<proto::QueueRunnerDef>("queue_runners", [&](const proto::QueueRunnerDef& def) {
      QueueRunner runner{NodeOf(def.queue_name()), {}, NodeOf(def.close_op_name()), NodeOf(def.cancel_op_name()), {}};
      for (const std::string& name : def.enqueue_op_name()) runner.enqueue.push_back(NodeOf(name));
      const auto& codes = def.queue_closed_exception_types();
      runner.closed_codes.assign(codes.begin(), codes.end());
      if (runner.closed_codes.empty()) runner.closed_codes = {kOutOfRange};
      out_.runners.push_back(std::move(runner));
    });
  }

  Status ReadVariables() {
    std::unordered_map<std::string, bool> seen;  // a variable may be in several collections
    for (const char* collection :
         {"variables", "local_variables", "model_variables", "trainable_variables", "metric_variables"}) {
      DF_TRY(ForEachMessage<proto::VariableDef>(collection, [&](const proto::VariableDef& def) {
        const std::string name = NodeOf(def.variable_name());
        if (seen.emplace(name, true).second) out_.variables.push_back({name, NodeOf(def.initializer_name())});
      }));
    }
    return Status();
  }

  // Searches in the order of TensorFlow's loader.
  std::string InitOp() const {
    if (const auto found = def_.signature_def().find(kInitSignature); found != def_.signature_def().end()) {
      const auto& outputs = found->second.outputs();
      if (const auto op = outputs.find(kInitSignature); op != outputs.end()) return NodeOf(op->second.name());
    }
    for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
      const std::vector<std::string> nodes = NodesOf(collection);
      if (!nodes.empty()) return nodes[0];
    }
    return "";
  }

  // TensorFlow's loader feeds the nodes that name assets with the paths of the files; here they become constants.
  Status BindAssets() {
    if (directory_.empty()) return Status();
    for (const proto::AssetFileDef& asset : def_.asset_file_def()) DF_TRY(BindAsset(asset));
    const proto::CollectionDef* collection = Find("saved_model_assets");
    if (collection == nullptr || def_.asset_file_def_size() > 0) return Status();
    for (const proto::AnyValue& any : collection->any_list().value()) {
      proto::AssetFileDef asset;
      if (!asset.ParseFromString(any.value())) return InvalidArgument("its collection 'saved_model_assets' is damaged");
      DF_TRY(BindAsset(asset));
    }
    return Status();
  }

  Status BindAsset(const proto::AssetFileDef& asset) {
    const std::filesystem::path name(asset.filename());
    if (name.is_absolute() || std::any_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; })) {
      return InvalidArgument("its asset '", asset.filename(), "' is not below the SavedModel's directory");
    }
    const std::string wanted = NodeOf(asset.tensor_info().name());
    for (proto::NodeDef& node : *def_.mutable_graph_def()->mutable_node()) {
      if (node.name() == wanted) SetText(node, StrCat(directory_, "/assets/", asset.filename()));
    }
    return Status();
  }

  static void SetText(proto::NodeDef& node, const std::string& text) {
    node.set_op("Const");
    auto& inputs = *node.mutable_input();
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(), [](const std::string& i) { return !i.starts_with('^'); }),
                 inputs.end());
    node.clear_attr();
    (*node.mutable_attr())["dtype"].set_type(proto::DT_STRING);
    proto::TensorProto& value = *(*node.mutable_attr())["value"].mutable_tensor();
    value.set_dtype(proto::DT_STRING);
    value.mutable_tensor_shape();
    value.add_string_val(text);
  }

  proto::MetaGraphDef& def_;
  const std::string directory_;
  MetaGraph out_;
};

}  // namespace

Result<MetaGraph> ReadMetaGraph(proto::MetaGraphDef& def, const std::string& directory) {
  return MetaGraphReader(def, directory).Run();
}

std::string PrintTags(const std::vector<std::string>& tags) {
  return StrCat("{", Join(tags), "}");
}

std::string PrintSignature(const std::string& name, const ModelSignature& signature) {
  const auto key = [](const SignatureTensor& t) { return t.key; };
  return StrCat(name, "(", Join(signature.inputs, ", ", key), ") -> (", Join(signature.outputs, ", ", key), ")");
}

}  // namespace dfrun
