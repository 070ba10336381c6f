// Names of what has none of its own.
#include "src/runtime/profile/work_records.hpp"

#include <algorithm>

#include "src/runtime/images.hpp"

namespace warpwise::runtime {
namespace {

using Direction = ProfileRecord::Direction;

const char* name_of(Direction direction) {
    switch (direction) {
        case Direction::HostToDevice:
            return "copy host to device";
        case Direction::DeviceToHost:
            return "copy device to host";
        case Direction::DeviceToDevice:
            return "copy on the device";
        case Direction::HostToHost:
            return "copy on the host";
        case Direction::BetweenDevices:
            return "copy between devices";
        case Direction::None:
            break;
    }
    return "copy";
}

}  // namespace

ProfileRecord record_of(const Launch& launch) {
    const KernelImpl& kernel = *launch.kernel;
    ProfileRecord record;
    record.kind = ProfileRecord::Kind::Kernel;
    record.name = kernel.info->signature.name;
    record.grid = launch.grid;
    record.block = launch.block;
    record.registers = kernel.num_regs;
    record.static_shared_bytes =
        std::max(kernel.info->static_shared_bytes, kernel.static_shared_bytes);
    record.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    record.local_bytes = std::max(kernel.info->local_bytes, kernel.local_bytes);
    return record;
}

ProfileRecord record_of_copy(Direction direction, std::size_t bytes) {
    ProfileRecord record;
    record.kind = ProfileRecord::Kind::Copy;
    record.name = name_of(direction);
    record.bytes = bytes;
    record.direction = direction;
    return record;
}

ProfileRecord record_of_copy(CopyKind kind, std::size_t bytes) {
    const Direction direction = kind == CopyKind::HostToDevice   ? Direction::HostToDevice
                                : kind == CopyKind::DeviceToHost ? Direction::DeviceToHost
                                                                 : Direction::DeviceToDevice;
    return record_of_copy(direction, bytes);
}

Direction direction_of(const BoxCopy& copy) {
    const auto is_host = [](const BoxPlace& place) {
        return place.array == nullptr && place.is_host;
    };
    if (is_host(copy.source)) {
        return is_host(copy.destination) ? Direction::HostToHost : Direction::HostToDevice;
    }
    return is_host(copy.destination) ? Direction::DeviceToHost : Direction::DeviceToDevice;
}

ProfileRecord record_of_fill(std::size_t bytes) {
    ProfileRecord record;
    record.kind = ProfileRecord::Kind::Fill;
    record.name = "fill";
    record.bytes = bytes;
    return record;
}

}  // namespace warpwise::runtime
