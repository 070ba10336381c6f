// Copies of boxes: rows of bytes that follow each other in rows and slices of memory.
#pragma once

#include <memory>

#include "src/backends/cpu/launch/command.hpp"

namespace warpwise::cpu {

struct BoxCursor {
    std::byte* start = nullptr;
    std::size_t row_bytes = 0;    // from one row to the next
    std::size_t slice_bytes = 0;  // from one slice to the next
};
struct BoxSize {
    std::size_t width_bytes = 0, height = 0, depth = 0;
};

class BoxCopyCommand final : public Command {
  public:
    BoxCopyCommand(const BoxCursor& destination, const BoxCursor& source, const BoxSize& size,
                   ProfileRecord::Direction direction, std::shared_ptr<const void> keep_alive);
    std::uint64_t pieces() const noexcept override;
    bool describe(ProfileRecord& record) const override;

  private:
    void work(std::uint64_t begin, std::uint64_t end) noexcept override;

    const BoxCursor destination_, source_;
    const BoxSize size_;
    const std::size_t rows_per_piece_;
    const ProfileRecord::Direction direction_;  // what a profile calls it
    const std::shared_ptr<const void> keep_alive_;
};

}  // namespace warpwise::cpu
