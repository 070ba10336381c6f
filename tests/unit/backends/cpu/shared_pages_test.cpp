// Device memory that several processes map. Here the other process is this one, or its child.
#include "src/backends/cpu/memory/shared_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "src/base/address_ranges.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Pages of the process's own, with an int to look at on each.
class Pages {
  public:
    explicit Pages(std::size_t count) : bytes_(count * kPageBytes) {
        address_ = reinterpret_cast<std::uintptr_t>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        for (std::size_t i = 0; i < count; ++i) (*this)[i] = static_cast<int>(i) + 1;
    }
    ~Pages() {
        SharedPages::instance().forget(address_, bytes_);
        munmap(reinterpret_cast<void*>(address_), bytes_);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    std::uintptr_t at(std::size_t page) const { return address_ + page * kPageBytes; }
    volatile int& operator[](std::size_t page) const {
        return *reinterpret_cast<volatile int*>(at(page));
    }

  private:
    std::uintptr_t address_;
    std::size_t bytes_;
};

volatile int& seen(const std::shared_ptr<const std::uintptr_t>& mapped, std::size_t page) {
    return *reinterpret_cast<volatile int*>(*mapped + page * kPageBytes);
}

SharedPlace share(std::uintptr_t address, std::size_t bytes) {
    return SharedPages::instance().share(address, bytes);
}

int in_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class SharedPagesTest : public ::testing::Test {
  protected:
    // As the device does around fork().
    int in_forked_child(const std::function<int()>& body) {
        SharedPages& pages = SharedPages::instance();
        pages.before_fork();
        const int status = in_child([&] {
            pages.after_fork(true);
            return body();
        });
        pages.after_fork(false);
        return status;
    }
};

TEST_F(SharedPagesTest, BothPlacesShowTheSameMemory) {
    const Pages pages(3);
    const auto other = map_shared(share(pages.at(0), 3 * kPageBytes), "memory");
    EXPECT_NE(*other, pages.at(0));
    EXPECT_EQ(seen(other, 2), 3);
    seen(other, 1) = 20;
    EXPECT_EQ(pages[1], 20);
    pages[0] = 10;
    EXPECT_EQ(seen(other, 0), 10);
}

TEST_F(SharedPagesTest, WholePagesAroundTheBytesAreShared) {
    const Pages pages(3);
    const SharedPlace place = share(pages.at(1) - 1, 2);
    EXPECT_EQ(place.begin, pages.at(0));
    EXPECT_EQ(place.bytes, 2 * kPageBytes);
}

TEST_F(SharedPagesTest, ThePageBehindTheLastByteIsNotShared) {
    const Pages pages(4);
    const SharedPlace place = share(pages.at(1), kPageBytes);
    EXPECT_EQ(place.begin, pages.at(1));
    EXPECT_EQ(place.bytes, kPageBytes);
}

TEST_F(SharedPagesTest, RangesThatOverlapAreShared) {
    const Pages pages(6);
    const auto middle = map_shared(share(pages.at(2), 2 * kPageBytes), "memory");
    const auto all = map_shared(share(pages.at(0), 6 * kPageBytes), "memory");
    const auto end = map_shared(share(pages.at(3), 3 * kPageBytes), "memory");
    for (int i = 0; i < 6; ++i) EXPECT_EQ(seen(all, i), i + 1);
    seen(end, 0) = 40;
    EXPECT_EQ(seen(middle, 1), 40);
    EXPECT_EQ(seen(all, 3), 40);
    EXPECT_EQ(pages[3], 40);
}

TEST_F(SharedPagesTest, MemoryThatWentBackIsPrivate) {
    const Pages pages(1);
    const SharedPlace place = share(pages.at(0), 4);
    const auto other = map_shared(place, "memory");
    SharedPages::instance().forget(pages.at(0), kPageBytes);
    EXPECT_THROW(map_shared(place, "memory"), ArgumentError);
    pages[0] = 5;
    EXPECT_EQ(seen(other, 0), 0);
}

TEST_F(SharedPagesTest, GranulesOfARangeGoBackOneByOne) {
    const std::uintptr_t range = reserve_addresses(2 * kRangeGranule);
    ASSERT_TRUE(back_addresses(range, 2 * kRangeGranule));
    const std::uintptr_t last_page = range + kRangeGranule - kPageBytes;
    const SharedPlace place = share(last_page, 2 * kPageBytes);
    SharedPages::instance().forget(range, kRangeGranule);
    unback_addresses(range, kRangeGranule);
    auto* const second = reinterpret_cast<volatile int*>(range + kRangeGranule);
    *second = 7;
    // The first granule is gone: what is left of the place is shared under a name of its own.
    EXPECT_THROW(map_shared(place, "memory"), ArgumentError);
    EXPECT_EQ(seen(map_shared(share(range + kRangeGranule, 4), "memory"), 0), 7);
    SharedPages::instance().forget(range + kRangeGranule, kRangeGranule);
    release_addresses(range, 2 * kRangeGranule);
}

TEST_F(SharedPagesTest, NoWriteOfAnotherThreadIsLost) {
    std::atomic<const Pages*> current = nullptr;
    std::atomic<bool> is_over = false;
    std::atomic<int> lost = 0, written = 0;
    std::thread writer([&] {
        while (!is_over) {
            const Pages* const pages = current.exchange(nullptr);
            if (pages == nullptr) continue;
            for (int i = 1; i <= 20'000; ++i) {
                (*pages)[1] = i;
                if ((*pages)[1] != i) ++lost;
            }
            ++written;
        }
    });
    for (int round = 0; round < 200; ++round) {
        const Pages pages(64);
        current = &pages;
        while (current != nullptr) std::this_thread::yield();
        share(pages.at(0), 64 * kPageBytes);
        while (written <= round) std::this_thread::yield();
        EXPECT_EQ(pages[1], 20'000);
    }
    is_over = true;
    writer.join();
    EXPECT_EQ(lost, 0);
}

TEST_F(SharedPagesTest, AChildSharesUnderItsOwnName) {
    const Pages pages(2);
    const auto other = map_shared(share(pages.at(0), kPageBytes), "memory");
    EXPECT_EQ(in_forked_child([&] {
                  const SharedPlace own = share(pages.at(0), 2 * kPageBytes);
                  if (own.process != getpid()) return 1;
                  pages[0] = 99;
                  return seen(map_shared(own, "memory"), 0) == 99 ? 0 : 2;
              }),
              0);
    EXPECT_EQ(pages[0], 1);
    EXPECT_EQ(seen(other, 0), 1);
}

TEST_F(SharedPagesTest, AChildReadsWhatItsParentShares) {
    const Pages pages(1);
    const SharedPlace place = share(pages.at(0), 4);
    EXPECT_EQ(in_forked_child([&] {
                  seen(map_shared(place, "memory"), 0) = 77;
                  return 0;
              }),
              0);
    EXPECT_EQ(pages[0], 77);
}

TEST_F(SharedPagesTest, HandlesOfNothingAreRefused) {
    const Pages pages(1);
    SharedPlace place = share(pages.at(0), 4);
    place.nonce[1] ^= 1;
    EXPECT_THROW(map_shared(place, "memory"), ArgumentError);
    place.file = 12345;
    EXPECT_THROW(map_shared(place, "memory"), ArgumentError);
}

TEST_F(SharedPagesTest, ALimitOfFilesIsNamed) {
    const Pages pages(1);
    EXPECT_EQ(in_forked_child([&] {
                  const rlimit limit{1 << 20, 1 << 20};
                  setrlimit(RLIMIT_FSIZE, &limit);
                  try {
                      share(pages.at(0), 4);
                  } catch (const UnsupportedError& error) {
                      return std::strstr(error.what(), "ulimit -f") != nullptr ? 0 : 1;
                  }
                  return 2;
              }),
              0);
}

}  // namespace
}  // namespace warpwise::cpu
