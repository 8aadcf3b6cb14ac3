// The parts of TensorFlow's MetaGraphs and SavedModels beside the nodes: signatures, initialisers and queue runners.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_META_GRAPH_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_META_GRAPH_H_

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
  std::string key;     // a sparse tensor has three: key/indices, key/values, key/dense_shape
  std::string tensor;  // "node:port"
};

struct ModelSignature {
  std::string method;
  std::vector<SignatureTensor> inputs;  // by key, as the outputs
  std::vector<SignatureTensor> outputs;
};

// The names of the nodes that fill a queue beside the steps.
struct QueueRunner {
  std::string queue;
  std::vector<std::string> enqueue;
  std::string close;              // run when the last enqueue op has ended
  std::string cancel;             // run to end the enqueue ops early
  std::vector<int> closed_codes;  // error codes, by TensorFlow's numbers, that mean the end of the data
};

struct ModelVariable {
  std::string variable;     // node
  std::string initializer;  // node that gives it its first value
};

struct MetaGraph {
  std::vector<std::string> tags;
  std::map<std::string, ModelSignature> signatures;
  std::vector<QueueRunner> runners;
  std::vector<ModelVariable> variables;  // variables of the model and of the process
  std::vector<std::string> table_inits;  // nodes that fill lookup tables
  std::string init_op;                   // for a SavedModel: the node that runs once the variables have their values
  std::string values;                    // the path of TensorFlow's file of the variables' values; empty: none
};

// Reads a MetaGraph. `directory` is that of a SavedModel, and nodes that name assets then name the files there; empty:
// no SavedModel. InvalidArgument for a damaged collection, and for an asset that is not below the directory.
Result<MetaGraph> ReadMetaGraph(proto::MetaGraphDef& def, const std::string& directory);

// "{serve}", "{serve, gpu}".
std::string PrintTags(const std::vector<std::string>& tags);
// "serving_default(x, words) -> (ids, y)".
std::string PrintSignature(const std::string& name, const ModelSignature& signature);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_META_GRAPH_H_
