// Graphs that TensorFlow exported with function libraries, with something changed in them: each is lowered or refused.
//
//   fuzz_functions [--seed S] [--first I] [--iterations N]
//
// Case i is made from the seed and i alone, so `--seed S --first I --iterations 1` runs one that was reported again.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "src/graph/proto/graph.pb.h"
#include "tests/fuzz/fuzz_options.h"
#include "tests/fuzz/lowering_check.h"

namespace dfrun::fuzz {
namespace {

constexpr unsigned kMaxSecondsACase = 20;

volatile sig_atomic_t current_case = 0;

// Names the case in which the process ends, then lets it end.
void Report(int signal) {
  char text[64];
  const int length = std::snprintf(text, sizeof(text), "case %d ended by signal %d\n", current_case, signal);
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) _exit(2);
  _exit(1);
}

// Changes a graph at random.
class Mutator {
 public:
  Mutator(uint64_t seed, proto::GraphDef& def) : random_(seed), def_(def) {}

  void Change() {
    if (def_.library().function_size() == 0 || Below(8) == 0) {
      ChangeNode(*def_.mutable_node(Below(def_.node_size())));
      return;
    }
    proto::FunctionDef& function = AnyFunction();
    switch (Below(8)) {
      case 0:
        DropOf(*def_.mutable_library()->mutable_function());
        break;
      case 1:
        *def_.mutable_library()->add_function() = function;
        break;
      case 2:
        function.mutable_signature()->set_name(AnyFunction().signature().name());
        break;
      case 3:
        ChangeSignature(*function.mutable_signature());
        break;
      case 4:
        if (!function.ret().empty()) (*function.mutable_ret())[AnyKey(function.ret())] = AnyInput();
        break;
      case 5:
        if (function.node_def_size() > 0) DropOf(*function.mutable_node_def());
        break;
      default:
        if (function.node_def_size() > 0) ChangeNode(*function.mutable_node_def(Below(function.node_def_size())));
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  proto::FunctionDef& AnyFunction() {
    return *def_.mutable_library()->mutable_function(Below(def_.library().function_size()));
  }
  proto::NodeDef& AnyNode() {
    proto::FunctionDef* function = def_.library().function_size() > 0 ? &AnyFunction() : nullptr;
    if (function == nullptr || function->node_def_size() == 0 || Below(4) == 0) {
      return *def_.mutable_node(Below(def_.node_size()));
    }
    return *function->mutable_node_def(Below(function->node_def_size()));
  }
  std::string AnyInput() {
    const proto::NodeDef& node = AnyNode();
    return node.input_size() > 0 ? node.input(Below(node.input_size())) : node.name();
  }
  // The order of a map's entries is another in each process.
  template <class Map>
  std::string AnyKey(const Map& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys[static_cast<size_t>(Below(static_cast<int>(keys.size())))];
  }
  template <class List>
  void DropOf(List& list) {
    list.SwapElements(Below(list.size()), list.size() - 1);
    list.RemoveLast();
  }

  void ChangeSignature(proto::OpDef& signature) {
    if (signature.input_arg_size() == 0 || signature.output_arg_size() == 0) return;
    proto::OpDef::ArgDef& input = *signature.mutable_input_arg(Below(signature.input_arg_size()));
    switch (Below(5)) {
      case 0:
        DropOf(*signature.mutable_input_arg());
        break;
      case 1:
        DropOf(*signature.mutable_output_arg());
        break;
      case 2:
        input.set_type(proto::DT_INT32);
        break;
      case 3:
        input.set_number_attr("N");
        break;
      default:
        *signature.add_output_arg() = input;
    }
  }

  void ChangeNode(proto::NodeDef& node) {
    const proto::NodeDef other = AnyNode();
    switch (Below(9)) {
      case 0:
        if (node.input_size() > 0) DropOf(*node.mutable_input());
        break;
      case 1:
        if (node.input_size() > 0) node.set_input(Below(node.input_size()), AnyInput());
        break;
      case 2:
        node.add_input(AnyInput());
        break;
      case 3:
        node.set_op(other.op());
        break;
      case 4:
        if (def_.library().function_size() > 0) node.set_op(AnyFunction().signature().name());
        break;
      case 5:
        node.set_name(other.name());
        break;
      case 6:
        if (!node.attr().empty()) node.mutable_attr()->erase(AnyKey(node.attr()));
        break;
      case 7:
        for (const auto& [name, value] : other.attr()) (*node.mutable_attr())[name] = value;
        break;
      default:
        CallAnother(node);
    }
  }

  void CallAnother(proto::NodeDef& node) {
    if (def_.library().function_size() == 0) return;
    for (auto& [name, value] : *node.mutable_attr()) {
      if (value.has_func()) value.mutable_func()->set_name(AnyFunction().signature().name());
    }
  }

  std::mt19937_64 random_;
  proto::GraphDef& def_;
};

std::vector<std::string> ReadGraphs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(DFRUN_GOLDEN_DIR "/functions")) {
    if (entry.path().extension() == ".pb") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> graphs;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    graphs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return graphs;
}

Result<Came> RunCase(const std::vector<std::string>& graphs, uint64_t seed, int64_t i) {
  std::mt19937_64 random(CaseSeed(seed, i));
  proto::GraphDef def;
  DF_CHECK(def.ParseFromString(graphs[random() % graphs.size()]));
  Mutator mutator(random(), def);
  const uint64_t changes = 1 + random() % 4;
  for (uint64_t k = 0; k < changes; ++k) mutator.Change();
  return CheckLowering(def.SerializeAsString(), GraphDefFormat::kBinary);
}

int Main(int argc, char** argv) {
  Options options;
  options.iterations = 5000;
  if (!ParseOptions(argc, argv, options)) return 64;
  for (int signal : {SIGALRM, SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) ::signal(signal, &Report);
  const std::vector<std::string> graphs = ReadGraphs();
  int64_t came[3] = {0, 0, 0};
  for (int64_t i = options.first; i < options.first + options.iterations; ++i) {
    current_case = static_cast<sig_atomic_t>(i);
    alarm(kMaxSecondsACase);
    const Result<Came> result = RunCase(graphs, options.seed, i);
    if (!result.ok()) {
      std::fprintf(stderr, "case %lld: %s\n", static_cast<long long>(i), result.status().ToString().c_str());
      return 1;
    }
    ++came[static_cast<int>(*result)];
  }
  std::printf("%lld graphs: %lld refused at import, %lld at lowering, %lld lowered\n",
              static_cast<long long>(options.iterations), static_cast<long long>(came[0]),
              static_cast<long long>(came[1]), static_cast<long long>(came[2]));
  const bool shows_something = options.iterations < 1000 || (came[1] > 0 && came[2] > 0);
  return shows_something ? 0 : 1;
}

}  // namespace
}  // namespace dfrun::fuzz

int main(int argc, char** argv) {
  return dfrun::fuzz::Main(argc, argv);
}
