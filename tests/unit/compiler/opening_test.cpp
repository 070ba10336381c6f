// Opening a compiler in the background: once, behind nobody's back at a fork, never an error.
#include "src/compiler/opening.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <semaphore>
#include <thread>

#include "tests/unit/compiler/fake_compiler.hpp"

namespace warpwise::compiler {
namespace {

// Lives to the end of the process, as the background thread may use it for as long.
class Opened : public FakeCompiler {
  public:
    void open() override {
        ++opens;
        if (fails) throw DeviceError("no library");
        go_on.acquire();
    }
    bool is_permanent() const noexcept override { return is_lasting; }

    std::atomic<int> opens{0};
    std::counting_semaphore<> go_on{0};
    bool fails = false;
    bool is_lasting = true;
};

void wait_until_opened() {
    while (is_opening()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(OpeningACompiler, DoesNotWaitForIt) {
    auto& compiler = *new Opened;
    open_in_background(compiler);
    EXPECT_TRUE(is_opening());
    compiler.go_on.release();
    wait_until_opened();
}

TEST(OpeningACompiler, IsDoneOnce) {
    auto& compiler = *new Opened;
    compiler.go_on.release(2);
    open_in_background(compiler);
    open_in_background(compiler);
    wait_until_opened();
    EXPECT_EQ(compiler.opens, 1);
}

TEST(OpeningACompiler, ThatFailsIsNoError) {
    auto& compiler = *new Opened;
    compiler.fails = true;
    open_in_background(compiler);
    wait_until_opened();
    EXPECT_EQ(compiler.opens, 1);
}

TEST(OpeningACompiler, IsLeftOutWhereItMayEndBeforeTheProcess) {
    Opened compiler;
    compiler.is_lasting = false;
    open_in_background(compiler);
    EXPECT_FALSE(is_opening());
    EXPECT_EQ(compiler.opens, 0);
}

TEST(OpeningACompiler, HasEndedInAForkedChild) {
    auto& compiler = *new Opened;
    open_in_background(compiler);
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        compiler.go_on.release();
    });
    const pid_t child = ::fork();
    if (child == 0) ::_exit(is_opening() ? 1 : 0);
    later.join();
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace warpwise::compiler
