// Lines leave the ring whole and are put into words outside of its lock.
#include "src/backends/cuda/device/printf_ring.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

#include "src/backends/cuda/device/printf_source.hpp"
#include "src/runtime/stream/device_printf.hpp"

namespace warpwise::cuda {
namespace {

constexpr std::uint64_t kWords = std::uint64_t{1} << 21;  // 16 MiB
// Behind the words: where the host has read to, about how far kernels have come, and whether lines
// were lost.
constexpr std::uint64_t kTail = kWords;
constexpr std::uint64_t kFront = kWords + 1;
constexpr std::uint64_t kLost = kWords + 2;
constexpr std::uint64_t kBytes = (kWords + 3) * sizeof(std::uint64_t);

std::uint64_t load(std::uint64_t& word) {
    return std::atomic_ref(word).load(std::memory_order_acquire);
}

void store(std::uint64_t& word, std::uint64_t value) {
    std::atomic_ref(word).store(value, std::memory_order_release);
}

std::string read_text(std::span<const std::uint64_t> words, std::size_t& at) {
    const std::size_t bytes = words[at++];
    std::string text(bytes, '\0');
    std::memcpy(text.data(), words.data() + at, bytes);
    at += (bytes + 7) / 8;
    return text;
}

// As a compiler packs them: 4 or 8 bytes each, at their natural alignment.
std::vector<std::byte> pack(std::span<const std::uint64_t> values, std::uint64_t kinds) {
    std::vector<std::byte> packed;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t bytes = (kinds >> 2 * i & 3) == 0 ? 4 : 8;
        const std::size_t offset = (packed.size() + bytes - 1) / bytes * bytes;
        packed.resize(offset + bytes);
        std::memcpy(packed.data() + offset, &values[i], bytes);
    }
    // A format may ask for more than there is.
    packed.resize(packed.size() + 33 * sizeof(std::uint64_t));
    return packed;
}

}  // namespace

PrintfRing::Line PrintfRing::read_line(std::span<const std::uint64_t> words) {
    const std::size_t count = words[0] >> 32;
    const std::uint64_t kinds = words[3];
    const auto values = words.subspan(4, count);
    std::size_t at = 4 + count;
    const std::string format = read_text(words, at);
    std::vector<std::pair<std::uint64_t, std::string>> texts;
    for (std::size_t i = 0; i < count; ++i) {
        if ((kinds >> 2 * i & 3) == 2) texts.emplace_back(values[i], read_text(words, at));
    }
    const auto find = [&texts](std::uint64_t address, std::size_t limit, std::string& out) {
        const auto found = std::ranges::find(texts, address, &decltype(texts)::value_type::first);
        if (found == texts.end()) return false;
        out.append(found->second, 0, limit);
        return true;
    };
    Line line{.grid = words[1], .block = words[2], .text = {}};
    runtime::format_device_printf(line.text, format.c_str(), pack(values, kinds).data(), find);
    return line;
}

void PrintfRing::write(DevicePointer destination, const void* source, std::size_t bytes) {
    const Driver& driver = cuda::driver();
    context_.check(driver.copy_to_device(destination, source, bytes, stream_),
                   "set up printf of kernels");
    Status status = Status::NotReady;
    while ((status = driver.stream_query(stream_)) == Status::NotReady) std::this_thread::yield();
    context_.check(status, "set up printf of kernels");
}

void PrintfRing::make() {
    const Driver& driver = cuda::driver();
    constexpr const char* kDoing = "set up printf of kernels";
    if (stream_ == nullptr) {
        context_.check(driver.stream_create(&stream_, kStreamNonBlocking, 0), kDoing);
    }
    if (device_side_ == 0) {
        context_.check(driver.memory_allocate(&device_side_, sizeof(DeviceSide)), kDoing);
    }
    void* memory = nullptr;
    context_.check(driver.host_allocate(&memory, kBytes, kHostPortable | kHostDeviceMap), kDoing);
    std::memset(memory, 0, kBytes);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const DeviceSide side{.head = 0,
                          .capacity = kWords,
                          .words = address,
                          .tail = address + kTail * sizeof(std::uint64_t),
                          .front = address + kFront * sizeof(std::uint64_t),
                          .lost = address + kLost * sizeof(std::uint64_t)};
    try {
        write(device_side_, &side, sizeof side);
    } catch (...) {
        driver.host_free(memory);
        throw;
    }
    memory_ = static_cast<std::uint64_t*>(memory);
}

void PrintfRing::bind(ModuleHandle module) {
    DevicePointer variable = 0;
    std::size_t bytes = 0;
    const Status status = driver().module_global(&variable, &bytes, module, kPrintfVariable);
    if (status == Status::NotFound) return;
    context_.check(status, "look for printf in a module");
    MutexLock lock(mutex_);
    if (memory_ == nullptr) make();
    write(variable, &device_side_, sizeof device_side_);
}

bool PrintfRing::is_filling() {
    MutexLock lock(mutex_);
    return memory_ != nullptr && load(memory_[kFront]) > tail_ + kWords / 2;
}

std::string PrintfRing::take() {
    // By launch and block; those of one block in the order they came.
    std::multimap<std::pair<std::uint64_t, std::uint64_t>, std::string> lines;
    bool is_lost = false;
    {
        MutexLock lock(mutex_);
        if (memory_ == nullptr) return {};
        std::vector<std::uint64_t> words;
        while (const std::uint64_t first = load(memory_[tail_ % kWords])) {
            words.resize(first & 0xffffffffU);
            for (std::size_t i = 0; i < words.size(); ++i) {
                words[i] = std::exchange(memory_[(tail_ + i) % kWords], 0);
            }
            tail_ += words.size();
            store(memory_[kTail], tail_);
            Line line = read_line(words);
            lines.emplace(std::pair(line.grid, line.block), std::move(line.text));
        }
        is_lost = load(memory_[kLost]) != 0;
        if (is_lost) store(memory_[kLost], 0);
    }
    std::string text;
    for (const auto& [place, printed] : lines) text += printed;
    if (is_lost) text += "\n[warpwise: kernel output dropped; synchronise more often]\n";
    return text;
}

}  // namespace warpwise::cuda
