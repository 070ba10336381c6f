// A list of small plain values whose first ones are kept in place: for lists as long as a kernel's
// arguments are, which every launch makes and which most launches keep short.
//
// Threading: a plain value.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace warpwise::runtime {

// Holds up to kFew values without allocation.
template <class T, std::size_t kFew>
class InlineList {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    InlineList() noexcept = default;
    InlineList(const InlineList&) = delete;
    InlineList& operator=(const InlineList&) = delete;

    void push_back(const T& value) {
        if (size_ < kFew) [[likely]] {
            new (few_ + size_ * sizeof(T)) T(value);
        } else {
            if (size_ == kFew) many_.assign(few(), few() + kFew);
            many_.push_back(value);
        }
        ++size_;
    }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    const T& operator[](std::size_t number) const noexcept {
        return (size_ <= kFew ? few() : many_.data())[number];
    }
    const T* begin() const noexcept { return view().data(); }
    const T* end() const noexcept { return begin() + size_; }
    // Until the list changes.
    std::span<const T> view() const noexcept {
        return {size_ <= kFew ? few() : many_.data(), size_};
    }

  private:
    const T* few() const noexcept { return std::launder(reinterpret_cast<const T*>(few_)); }

    alignas(T) std::byte few_[kFew * sizeof(T)];
    std::size_t size_ = 0;
    std::vector<T> many_;  // all of them, where they are more
};

}  // namespace warpwise::runtime
