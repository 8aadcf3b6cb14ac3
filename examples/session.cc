// Fits a line through points: a graph made in C++, its gradient, steps by a prepared handle and by name, a graph that
// grows while the session is open. Prints the line and ends with 0 if it is the one that the points were made of.
#include <cmath>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "comm/in_process/in_process.h"
#include "src/autodiff/gradients.h"
#include "src/graph/graph_ops.h"
#include "src/session/runtime.h"
#include "src/session/session.h"

namespace {

using namespace dfrun;

constexpr float kSlope = 3;
constexpr float kOffset = -1;

// loss = Mean((slope * x + offset - y)^2), and `train`, which makes one step of gradient descent.
Result<Graph> MakeGraph() {
  Graph graph;
  GraphOps ops(graph, "");
  const auto variable = [&](const char* name) {
    return ops.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  };
  const auto placeholder = [&](const char* name) {
    return ops.Add(name, "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({-1})}});
  };
  const Output x = placeholder("x");
  const Output y = placeholder("y");
  const std::vector<Output> variables = {variable("slope"), variable("offset")};
  const Output line = ops.Add("line", "AddV2", {ops.Add("product", "Mul", {variables[0], x}), variables[1]});
  const Output error = ops.Add("error", "SquaredDifference", {line, y});
  const Output loss = ops.Add("loss", "Mean", {error, ops.Const("axes", Tensor::Vector<int32_t>({0}))});
  DF_TRY(ops.status());

  DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(graph, {&loss, 1}, variables));
  const Output rate = ops.Const("rate", Tensor::Scalar<float>(0.2F));
  const Output zero = ops.Const("zero", Tensor::Scalar<float>(0));
  std::vector<NodeId> updates;
  std::vector<NodeId> initial;
  for (size_t i = 0; i < variables.size(); ++i) {
    updates.push_back(ops.Add("update", "ApplyGradientDescent", {variables[i], rate, gradients[i].dense}).node);
    initial.push_back(ops.Add("initial", "Assign", {variables[i], zero}).node);
  }
  ops.Add("train", "NoOp", {}, {}, updates);
  ops.Add("init", "NoOp", {}, {}, initial);
  DF_TRY(ops.status());
  return graph;
}

// The points of one step.
std::vector<Tensor> Points(int step) {
  std::vector<float> x;
  std::vector<float> y;
  for (int i = 0; i < 8; ++i) {
    x.push_back(std::sin(static_cast<float>(8 * step + i)));
    y.push_back(kSlope * x.back() + kOffset);
  }
  return {Tensor::Vector<float>(std::span<const float>(x)), Tensor::Vector<float>(std::span<const float>(y))};
}

Status Train(Session& session) {
  DF_TRY(session.Run({}, {}, {"init"}).status());
  DF_ASSIGN(const Session::Handle step, session.Prepare({"x", "y"}, {"loss"}, {"train"}));
  for (int i = 0; i < 200; ++i) {
    Tensor loss;
    DF_TRY(session.RunStep(step, Points(i), {&loss, 1}));
    if (i % 50 == 0) std::printf("step %d: loss %g\n", i, static_cast<double>(loss.scalar<float>()));
  }
  return Status();
}

// Nodes that the graph did not have before, and steps of several threads at once. Any output can be fed: `line` too.
Status Extend(Session& session) {
  DF_TRY(session.Extend([](Graph& graph) {
    GraphOps ops(graph, "late");
    DF_ASSIGN(const Output line, graph.ParseOutput("line"));
    ops.Add("positive", "Greater", {line, ops.Const("zero", Tensor::Scalar<float>(0))});
    return ops.status();
  }));
  std::vector<std::thread> threads;
  std::vector<Status> ended(4);
  for (size_t t = 0; t < ended.size(); ++t) {
    threads.emplace_back([&, t] {
      const float sign = t % 2 == 0 ? 1 : -1;
      const auto out = session.Run({{"line", Tensor::Vector<float>({sign})}}, {"late/positive:0"});
      ended[t] = out.status();
      if (out.ok() && (*out)[0].values<bool>()[0] != (sign > 0)) ended[t] = Internal("the sign is wrong");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : ended) DF_TRY(status);
  return Status();
}

Status Run() {
  DF_ASSIGN(const auto runtime, Runtime::Create({}, std::move(comm::ConnectInProcess(1)[0])));
  DF_ASSIGN(Graph graph, MakeGraph());
  DF_ASSIGN(const auto session, Session::Create(*runtime, std::move(graph)));
  DF_TRY(Train(*session));
  DF_TRY(Extend(*session));
  DF_ASSIGN(const std::vector<Tensor> fitted, session->Run({}, {"slope", "offset"}));
  const float slope = fitted[0].scalar<float>();
  const float offset = fitted[1].scalar<float>();
  std::printf("y = %.4f x + %.4f\n", static_cast<double>(slope), static_cast<double>(offset));
  if (std::abs(slope - kSlope) > 1e-3F || std::abs(offset - kOffset) > 1e-3F) return Internal("that is another line");
  return Status();
}

}  // namespace

int main() {
  const Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : ExitCode(status.code());
}
