// Row by row; pieces are ranges of rows. Both sides may lie in one array: a row is moved as one,
// and boxes that overlap otherwise are undefined, as under CUDA.
#include "src/backends/cpu/launch/box_copy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/runtime/profile/work_records.hpp"

namespace warpwise::cpu {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::byte* row_at(const BoxCursor& cursor, std::size_t height, std::size_t row) {
    return cursor.start + row / height * cursor.slice_bytes + row % height * cursor.row_bytes;
}

}  // namespace

BoxCopyCommand::BoxCopyCommand(const BoxCursor& destination, const BoxCursor& source,
                               const BoxSize& size, ProfileRecord::Direction direction,
                               std::shared_ptr<const void> keep_alive)
    : Command(Kind::Pool),
      destination_(destination),
      source_(source),
      size_(size),
      rows_per_piece_(
          std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, size.width_bytes))),
      direction_(direction),
      keep_alive_(std::move(keep_alive)) {}

std::uint64_t BoxCopyCommand::pieces() const noexcept {
    return std::max<std::uint64_t>(
        1, (size_.height * size_.depth + rows_per_piece_ - 1) / rows_per_piece_);
}

bool BoxCopyCommand::describe(ProfileRecord& record) const {
    record = runtime::record_of_copy(direction_, size_.width_bytes * size_.height * size_.depth);
    return true;
}

void BoxCopyCommand::work(std::uint64_t begin, std::uint64_t end) noexcept {
    const std::size_t rows = size_.height * size_.depth;
    const std::size_t last = std::min<std::size_t>(rows, end * rows_per_piece_);
    for (std::size_t row = begin * rows_per_piece_; row < last; ++row) {
        std::memmove(row_at(destination_, size_.height, row), row_at(source_, size_.height, row),
                     size_.width_bytes);
    }
}

}  // namespace warpwise::cpu
