// A program of somebody else that uses the installed library: kernels' ops must be registered in it.
#include <cstdio>

#include "src/graph/graph.h"

int main() {
  dfrun::Graph graph;
  const dfrun::OpDef* op = graph.ops().Find("MatMul");
  std::printf("%zu ops, MatMul %s\n", graph.ops().List().size(), op != nullptr ? "among them" : "missing");
  return op != nullptr ? 0 : 1;
}
