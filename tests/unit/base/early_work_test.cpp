// Work begun early: once, waited for by a fork, never an error.
#include "src/base/hooks/early_work.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <stdexcept>
#include <thread>

namespace warpwise {
namespace {

// Lives to the end of the process: a later one at its address would not be begun.
struct Subject {
    std::atomic<int> runs{0};
    std::counting_semaphore<> go_on{0};
    void begin() {
        begin_early(this, [this] {
            ++runs;
            go_on.acquire();
        });
    }
};

void wait_for_all() {
    while (has_early_work()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(EarlyWork, IsNotWaitedFor) {
    auto& subject = *new Subject;
    subject.begin();
    EXPECT_TRUE(has_early_work());
    subject.go_on.release();
    wait_for_all();
}

TEST(EarlyWork, IsDoneOncePerSubject) {
    auto& subject = *new Subject;
    subject.go_on.release(2);
    subject.begin();
    subject.begin();
    wait_for_all();
    EXPECT_EQ(subject.runs, 1);
}

TEST(EarlyWork, OfAnotherSubjectIsDoneToo) {
    auto& one = *new Subject;
    auto& other = *new Subject;
    for (Subject* subject : {&one, &other}) {
        subject->go_on.release();
        subject->begin();
    }
    wait_for_all();
    EXPECT_EQ(one.runs + other.runs, 2);
}

TEST(EarlyWork, ThatFailsIsNoError) {
    auto& subject = *new Subject;
    begin_early(&subject, [&] {
        ++subject.runs;
        throw std::runtime_error("no library");
    });
    wait_for_all();
    EXPECT_EQ(subject.runs, 1);
}

TEST(EarlyWork, HasEndedInAForkedChild) {
    auto& subject = *new Subject;
    subject.begin();
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        subject.go_on.release();
    });
    const pid_t child = ::fork();
    if (child == 0) ::_exit(has_early_work() ? 1 : 0);
    later.join();
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace warpwise
