// What TensorFlow's MetaGraphs and SavedModels say of a graph beside its nodes: how it is called, begun and fed.
#ifndef DFRUN_SRC_GRAPH_META_GRAPH_H_
#define DFRUN_SRC_GRAPH_META_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

namespace proto {
class MetaGraphDef;
}

// One of a signature's arguments or results.
struct SignatureTensor {
  std::string key;     // of a sparse tensor there are three: key/indices, key/values, key/dense_shape
  std::string tensor;  // "node:port"
};

struct ModelSignature {
  std::string method;
  std::vector<SignatureTensor> inputs;  // by key, as the outputs
  std::vector<SignatureTensor> outputs;
};

// Ops that fill a queue beside the steps. Names of nodes.
struct QueueRunner {
  std::string queue;
  std::vector<std::string> enqueue;
  std::string close;              // when the last of them has ended
  std::string cancel;             // when there is no more need of them
  std::vector<int> closed_codes;  // error codes, as TensorFlow numbers them, that mean the end of what there is
};

struct ModelVariable {
  std::string variable;     // node
  std::string initializer;  // node that gives it its first value
};

struct MetaGraph {
  std::vector<std::string> tags;
  std::map<std::string, ModelSignature> signatures;
  std::vector<QueueRunner> runners;
  std::vector<ModelVariable> variables;  // those of a model and those of a process
  std::vector<std::string> table_inits;  // nodes that fill lookup tables
  std::string init_op;                   // of a SavedModel: runs once, when the variables have their values
  std::string values;                    // where TensorFlow keeps the variables' values; empty: nowhere
};

// Reads what MetaGraph says; `directory` is that of a SavedModel, whose nodes that name assets then name the files
// there; empty: none. InvalidArgument for a collection that is damaged, and for an asset that is not below it.
Result<MetaGraph> ReadMetaGraph(proto::MetaGraphDef& def, const std::string& directory);

// "{serve}", "{serve, gpu}".
std::string PrintTags(const std::vector<std::string>& tags);
// "serving_default(x, words) -> (ids, y)".
std::string PrintSignature(const std::string& name, const ModelSignature& signature);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_META_GRAPH_H_
