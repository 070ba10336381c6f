// The device's own graph: made once, at the first launch, and without the lock of the graph.
#include "src/runtime/record/graph_state.hpp"

#include <functional>

#include "tests/unit/runtime/full_device.hpp"

namespace warpwise {
namespace {

class CountedGraph final : public runtime::GraphImpl {
  public:
    explicit CountedGraph(int& launches) : launches_(launches) {}
    void launch(runtime::Queue&, const runtime::GraphRecord&,
                const std::shared_ptr<const void>&) override {
        ++launches_;
    }

  private:
    int& launches_;
};

class CountedGraphs final : public runtime::GraphSupport {
  public:
    int made = 0;
    int launches = 0;
    bool makes = true;
    std::function<void()> while_making;

    std::unique_ptr<runtime::GraphImpl> make_graph(int, const runtime::GraphRecord&) override {
        ++made;
        if (while_making) std::exchange(while_making, nullptr)();
        return makes ? std::make_unique<CountedGraph>(launches) : nullptr;
    }
};

class GraphMaking : public testing::Test {
  protected:
    GraphMaking() {
        auto support = std::make_unique<CountedGraphs>();
        graphs = support.get();
        full_backend().graph_support = std::move(support);
        stream.begin_capture();
        stream.call_host([this] { ++calls; });
        graph.emplace(stream.end_capture());
    }
    ~GraphMaking() override {
        stream.synchronize();
        graph.reset();
        full_backend().graph_support = nullptr;
    }
    static void TearDownTestSuite() { empty_full_devices(); }

    const Device device = full_device();
    const DeviceScope scope{device};
    const Stream stream;
    CountedGraphs* graphs = nullptr;
    int calls = 0;
    std::optional<Graph> graph;
};

TEST_F(GraphMaking, HappensAtTheFirstLaunch) {
    EXPECT_EQ(graphs->made, 0);
    graph->launch(stream);
    graph->launch(stream);
    EXPECT_EQ(graphs->made, 1);
    EXPECT_EQ(graphs->launches, 2);
    EXPECT_EQ(calls, 0);
}

TEST_F(GraphMaking, IsTriedOnceWhereTheDeviceCannot) {
    graphs->makes = false;
    graph->launch(stream);
    graph->launch(stream);
    stream.synchronize();
    EXPECT_EQ(graphs->made, 1);
    EXPECT_EQ(calls, 2);
}

TEST_F(GraphMaking, HoldsNoLockAndKeepsTheGraphThatWasDoneFirst) {
    std::size_t size = 0;
    graphs->while_making = [&] {
        size = graph->size();
        graph->launch(stream);
    };
    graph->launch(stream);
    graph->launch(stream);
    EXPECT_EQ(size, 1u);
    EXPECT_EQ(graphs->made, 2);
    EXPECT_EQ(graphs->launches, 3);
}

}  // namespace
}  // namespace warpwise
