// Gradients through TensorLists and Optionals, which no op alone shows, since they are no floating-point values:
// numeric derivatives of small graphs that take a matrix through them.
#include <gtest/gtest.h>

#include <cmath>

#include "src/autodiff/gradients.h"
#include "tests/unit/autodiff/gradient_cases.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

constexpr const char* kElsewhere = "of variants: list_gradient_test.cc checks it";
const UncheckedGradient from_value("OptionalFromValue", kElsewhere);
const UncheckedGradient get_value("OptionalGetValue", kElsewhere);
const UncheckedGradient from_tensor("TensorListFromTensor", kElsewhere);
const UncheckedGradient stack("TensorListStack", kElsewhere);
const UncheckedGradient set_item("TensorListSetItem", kElsewhere);
const UncheckedGradient get_item("TensorListGetItem", kElsewhere);
const UncheckedGradient push_back("TensorListPushBack", kElsewhere);
const UncheckedGradient pop_back("TensorListPopBack", kElsewhere);
const UncheckedGradient resize("TensorListResize", kElsewhere);
const UncheckedGradient concat("TensorListConcat", kElsewhere);
const UncheckedGradient concat_v2("TensorListConcatV2", kElsewhere);
const UncheckedGradient split("TensorListSplit", kElsewhere);
const UncheckedGradient gather("TensorListGather", kElsewhere);
const UncheckedGradient scatter("TensorListScatter", kElsewhere);
const UncheckedGradient scatter_v2("TensorListScatterV2", kElsewhere);
const UncheckedGradient scatter_into("TensorListScatterIntoExistingList", kElsewhere);

// Adds nodes of lists whose elements are float64 vectors of two.
class ListMaker : public GraphMaker {
 public:
  Output Node(const std::string& op, const std::vector<Output>& inputs, AttrMap attrs = {}) {
    return Add(StrCat("n", graph.num_nodes()), op, inputs, std::move(attrs));
  }
  Output OfElements(const std::string& op, const std::vector<Output>& inputs, AttrMap attrs = {}) {
    attrs.Set("element_dtype", DType::kDouble);
    return Node(op, inputs, std::move(attrs));
  }
  Output Value(Tensor value) { return Const(StrCat("c", graph.num_nodes()), std::move(value)); }
  Output Shape() { return Value(Ints({2})); }
  Output ListOf(Output x) { return Node("TensorListFromTensor", {x, Shape()}); }
  Output Get(Output list, int32_t index) { return OfElements("TensorListGetItem", {list, Value(Int(index)), Shape()}); }
  Output Stack(Output list) { return OfElements("TensorListStack", {list, Shape()}); }
};

// The parts of x, a matrix [4,2], that come back out of lists: any number of them.
using Through = std::vector<Output> (*)(ListMaker& m, Output x);

struct ListCase {
  const char* name;
  Through through;
};

const ListCase kCases[] = {
    {"Stack", [](ListMaker& m, Output x) { return std::vector<Output>{m.Stack(m.ListOf(x))}; }},
    {"OptionalOfAListAndMore",
     [](ListMaker& m, Output x) {
       const Output optional = m.Node("OptionalFromValue", {m.ListOf(x), m.Value(Int(7)), x});
       const std::vector<DType> types = {DType::kVariant, DType::kInt32, DType::kDouble};
       const std::vector<PartialShape> shapes(3);
       const AttrMap attrs = {{"output_types", types}, {"output_shapes", shapes}};
       const Output first = m.Node("OptionalGetValue", {optional}, attrs);
       const Output second = m.Node("OptionalGetValue", {optional}, attrs);
       return std::vector<Output>{m.Get(first, 1), m.Get(second, 2), {second.node, 2}};
     }},
    {"GetItemTwice",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       return std::vector<Output>{m.Get(list, 1), m.Get(list, 1), m.Get(list, 3)};
     }},
    {"SetItem",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       const Output set = m.Node("TensorListSetItem", {list, m.Value(Int(0)), m.Get(list, 2)});
       return std::vector<Output>{m.Stack(set), m.Get(list, 0)};
     }},
    {"SetItemThatResizes",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       const Output set = m.Node("TensorListSetItem", {list, m.Value(Int(5)), m.Get(list, 2)},
                                 {{"resize_if_index_out_of_bounds", true}});
       return std::vector<Output>{m.Stack(set)};
     }},
    {"PushAndPop",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       const Output pushed = m.Node("TensorListPushBack", {list, m.Get(list, 1)});
       const Output popped = m.OfElements("TensorListPopBack", {pushed, m.Shape()});
       return std::vector<Output>{{popped.node, 1}, m.Stack(popped), m.Stack(pushed)};
     }},
    {"PopOfWhichOnlyTheElementIsRead",
     [](ListMaker& m, Output x) {
       const Output popped = m.OfElements("TensorListPopBack", {m.ListOf(x), m.Shape()});
       return std::vector<Output>{{popped.node, 1}};
     }},
    {"PopOfWhichOnlyTheListIsRead",
     [](ListMaker& m, Output x) {
       return std::vector<Output>{m.Stack(m.OfElements("TensorListPopBack", {m.ListOf(x), m.Shape()}))};
     }},
    {"Resize",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       return std::vector<Output>{m.Stack(m.Node("TensorListResize", {list, m.Value(Int(2))})),
                                  m.Stack(m.Node("TensorListResize", {list, m.Value(Int(6))}))};
     }},
    {"SplitAndConcat",
     [](ListMaker& m, Output x) {
       const Output lengths = m.Value(Tensor::Vector<int64_t>({1, 0, 3}));
       const Output parts = m.Node("TensorListSplit", {x, m.Value(Ints({-1, 2})), lengths});
       const Output none = m.Value(Tensor(DType::kInt64, dfrun::Shape({0})));
       return std::vector<Output>{m.OfElements("TensorListConcat", {parts}),
                                  m.OfElements("TensorListConcatV2", {parts, m.Value(Ints({-1, 2})), none})};
     }},
    {"Gather",
     [](ListMaker& m, Output x) {
       return std::vector<Output>{m.OfElements("TensorListGather", {m.ListOf(x), m.Value(Ints({3, 0})), m.Shape()})};
     }},
    {"Scatter",
     [](ListMaker& m, Output x) {
       const Output at = m.Value(Ints({5, 0, 2, 1}));
       return std::vector<Output>{m.Stack(m.Node("TensorListScatter", {x, at, m.Shape()})),
                                  m.Stack(m.Node("TensorListScatterV2", {x, at, m.Shape(), m.Value(Int(7))}))};
     }},
    {"ScatterIntoExistingList",
     [](ListMaker& m, Output x) {
       const Output list = m.ListOf(x);
       const Output rows = m.OfElements("TensorListGather", {list, m.Value(Ints({1, 2})), m.Shape()});
       const Output at = m.Value(Ints({0, 3}));
       return std::vector<Output>{m.Stack(m.Node("TensorListScatterIntoExistingList", {list, rows, at}))};
     }},
};

void PrintTo(const ListCase& test, std::ostream* out) {
  *out << test.name;
}

class ListGradient : public ::testing::TestWithParam<ListCase> {
 protected:
  // y = the sum of weights * sin(part) over the parts of x * x.
  void Build(const PartialShape& shape) {
    x_ = m_.Placeholder("x", shape);
    const Output zero = m_.Value(Int(0));
    std::vector<Output> sums;
    for (const Output part : GetParam().through(m_, m_.Node("Square", {x_}))) {
      const Output size = m_.Node("Size", {part});
      const Output flat = m_.Node("Reshape", {m_.Node("Sin", {part}), m_.Node("ExpandDims", {size, zero})});
      const Output weights =
          m_.Node("Range", {m_.Value(Int(1)), m_.Node("Add", {size, m_.Value(Int(1))}), m_.Value(Int(1))});
      const Output weighted = m_.Node("Mul", {flat, m_.Node("Cast", {weights}, {{"DstT", DType::kDouble}})});
      sums.push_back(m_.Node("Sum", {weighted, zero}));
    }
    y_ = m_.Node("AddN", sums);
  }
  Tensor At(Output value, const Tensor& x) {
    Result<std::vector<Tensor>> values = GraphEvaluator({{"x", {x}}}).Fetch(m_.graph, {value});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? (*values)[0] : Tensor(DType::kDouble, Shape({4, 2}));
  }
  double Slope(int64_t i, double step) {
    Tensor x = *point_.Copy(SystemAllocator());
    x.data<double>()[i] += step;
    const double above = At(y_, x).scalar<double>();
    x.data<double>()[i] -= 2 * step;
    return (above - At(y_, x).scalar<double>()) / (2 * step);
  }
  void Check() {
    const std::vector<Output> ys = {y_};
    const std::vector<Output> xs = {x_};
    const Result<std::vector<GradientValue>> gradients = AddGradients(m_.graph, ys, xs, {});
    ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
    const Tensor gradient = At((*gradients)[0].dense, point_);
    ASSERT_EQ(gradient.shape(), point_.shape());
    for (int64_t i = 0; i < point_.num_elements(); ++i) {
      const double numeric = (4 * Slope(i, 5e-4) - Slope(i, 1e-3)) / 3;  // Richardson's: the error is near 1e-10
      EXPECT_NEAR(gradient.data<double>()[i], numeric, 1e-6 * std::max(1.0, std::abs(numeric))) << i;
    }
  }

  ListMaker m_;
  const Tensor point_ = U({4, 2});
  Output x_;
  Output y_;
};

TEST_P(ListGradient, AgreesWithNumericDerivatives) {
  Build({4, 2});
  Check();
}

TEST_P(ListGradient, NeedsNoShapes) {
  Build(PartialShape());
  Check();
}

INSTANTIATE_TEST_SUITE_P(Lists, ListGradient, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dfrun::testing
