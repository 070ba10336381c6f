// Workers are real processes; the NVRTC in them is a fake.
#include "src/backends/cuda/nvrtc/nvrtc_pool.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <set>
#include <thread>

#include "src/backends/cuda/nvrtc/nvrtc_wire.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string text_of(const NvrtcResult& result) {
    return {reinterpret_cast<const char*>(result.binary.data()), result.binary.size()};
}

pid_t process_of(const NvrtcResult& result) {
    return std::atoi(text_of(result).c_str());
}

NvrtcResult compile_here(const NvrtcRequest& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    NvrtcResult result;
    result.is_good = true;
    const std::string text = std::to_string(::getpid()) + " " + request.source;
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    result.binary.assign(bytes, bytes + text.size());
    return result;
}

NvrtcRequest source(std::string text) {
    NvrtcRequest request;
    request.source = std::move(text);
    request.name = "k.cu";
    return request;
}

class NvrtcPoolTest : public ::testing::Test {
  protected:
    // Takes the seat in this process to the end of the test, and waits for the server.
    void occupy() {
        std::promise<void> seated;
        busy_ = std::async(std::launch::async, [&] {
            pool_.compile(source("long"), [&](const NvrtcRequest& request) {
                seated.set_value();
                end_.get_future().wait();
                return compile_here(request);
            });
        });
        seated.get_future().wait();
        while (pool_.workers() == 0) pool_.compile(source("slow"), compile_here);
    }
    void release() {
        if (busy_.valid()) end_.set_value();
        if (busy_.valid()) busy_.get();
    }
    void TearDown() override { release(); }

    NvrtcPool pool_{NVRTC_WORKER, FAKE_NVRTC, 3};
    std::promise<void> end_;
    std::future<void> busy_;
};

TEST_F(NvrtcPoolTest, StartsNothingForOneAtATime) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(process_of(pool_.compile(source("one"), compile_here)), ::getpid());
    }
    EXPECT_EQ(pool_.workers(), 0u);
}

TEST_F(NvrtcPoolTest, GivesWhatMeetsToProcesses) {
    occupy();
    std::vector<std::future<NvrtcResult>> results;
    for (int i = 0; i < 12; ++i) {
        results.push_back(std::async(std::launch::async, [&, i] {
            return pool_.compile(source("slow " + std::to_string(i)), compile_here);
        }));
    }
    std::set<pid_t> processes;
    for (int i = 0; i < 12; ++i) {
        const NvrtcResult result = results[i].get();
        EXPECT_THAT(text_of(result), EndsWith("slow " + std::to_string(i)));
        processes.insert(process_of(result));
    }
    EXPECT_GE(processes.size(), 3u);
    EXPECT_EQ(pool_.workers(), 3u);
}

TEST_F(NvrtcPoolTest, BringsBackErrorsNamesAndHeaders) {
    occupy();
    NvrtcRequest request = source("text ");
    request.expressions = {"&a", "k<int>"};
    request.headers = {{"h.h", "of a header"}};
    const NvrtcResult good = pool_.compile(request, compile_here);
    EXPECT_THAT(text_of(good), EndsWith("text of a header"));
    EXPECT_EQ(good.lowered_names.at("k<int>"), "lowered_k<int>");
    EXPECT_THAT(good.lowered_names, SizeIs(2));

    const NvrtcResult wrong = pool_.compile(source("wrong"), compile_here);
    EXPECT_FALSE(wrong.is_good);
    EXPECT_EQ(wrong.log, "k.cu(1): error: wrong");
    try {
        pool_.compile(source("broken"), compile_here);
        FAIL() << "nothing was thrown";
    } catch (const DeviceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("an error of the fake"));
    }
}

TEST_F(NvrtcPoolTest, OutlivesAWorkerThatDies) {
    occupy();
    try {
        pool_.compile(source("crash"), compile_here);
        FAIL() << "nothing was thrown";
    } catch (const CompileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("NVRTC died of k.cu"));
    }
    EXPECT_THAT(text_of(pool_.compile(source("after"), compile_here)), EndsWith("after"));
    // One that ends while it waits for work is replaced without a word.
    const pid_t worker = process_of(pool_.compile(source("who"), compile_here));
    ::kill(worker, SIGKILL);
    EXPECT_NE(process_of(pool_.compile(source("again"), compile_here)), worker);
}

TEST_F(NvrtcPoolTest, StartsAnewInAForkedChild) {
    occupy();
    release();
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_here = process_of(pool_.compile(source("x"), compile_here)) == ::getpid();
        ::_exit(is_here && pool_.workers() == 0 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(NvrtcPool, CompilesHereWhereNoProcessStarts) {
    for (const char* program : {"/nowhere/worker", "/bin/false"}) {
        NvrtcPool pool(program, FAKE_NVRTC, 3);
        std::vector<std::future<NvrtcResult>> results;
        for (int i = 0; i < 6; ++i) {
            results.push_back(std::async(std::launch::async,
                                         [&] { return pool.compile(source("x"), compile_here); }));
        }
        for (auto& result : results) EXPECT_EQ(process_of(result.get()), ::getpid());
        EXPECT_EQ(pool.workers(), 0u);
    }
    NvrtcPool none(NVRTC_WORKER, FAKE_NVRTC, 0);
    EXPECT_EQ(process_of(none.compile(source("x"), compile_here)), ::getpid());
}

TEST(NvrtcWire, RefusesWhatIsCutShort) {
    std::vector<std::byte> bytes = encode_job(source("text"), "/");
    EXPECT_EQ(decode_job(bytes).request.source, "text");
    bytes.pop_back();
    EXPECT_THROW(decode_job(bytes), DeviceError);
    EXPECT_THROW(decode_answer({}), DeviceError);
    EXPECT_THROW(decode_answer(encode_failure("why")), DeviceError);
}

}  // namespace
}  // namespace warpwise::cuda
