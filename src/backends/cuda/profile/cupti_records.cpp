// One function for each kind of record.
#include "src/backends/cuda/profile/cupti_records.hpp"

#include "src/backends/cuda/nvrtc/kernel_names.hpp"
#include "src/runtime/profile/work_records.hpp"

namespace warpwise::cuda {
namespace {

using Direction = ProfileRecord::Direction;

std::uint32_t number(std::int32_t value) {
    return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

// What all kinds have. A record that was taken from CUPTI before its end has no times.
template <class T>
std::optional<CuptiRecord> begun(const T& activity) {
    if (activity.start == 0 || activity.end < activity.start) return std::nullopt;
    CuptiRecord result;
    result.start = activity.start;
    result.devices[0] = activity.device;
    result.record.duration = static_cast<std::int64_t>(activity.end - activity.start);
    result.record.stream = activity.stream;
    return result;
}

template <class T>
std::optional<CuptiRecord> of_memory(const T& activity, ProfileRecord plain) {
    std::optional<CuptiRecord> result = begun(activity);
    if (!result) return result;
    plain.duration = result->record.duration;
    plain.stream = result->record.stream;
    result->record = std::move(plain);
    return result;
}

std::optional<CuptiRecord> of_kernel(const cupti::KernelActivity& activity) {
    std::optional<CuptiRecord> result = begun(activity);
    if (!result) return result;
    ProfileRecord& record = result->record;
    record.kind = ProfileRecord::Kind::Kernel;
    result->symbol = activity.name;
    for (int axis = 0; axis < 3; ++axis) {
        record.grid[axis] = number(activity.grid[axis]);
        record.block[axis] = number(activity.block[axis]);
    }
    record.registers = activity.registers;
    record.static_shared_bytes = number(activity.static_shared_bytes);
    record.dynamic_shared_bytes = number(activity.dynamic_shared_bytes);
    record.local_bytes = activity.local_bytes_per_thread;
    return result;
}

Direction direction_of(cupti::CopyKind kind) {
    switch (kind) {
        case cupti::CopyKind::HtoD:
        case cupti::CopyKind::HtoA:
            return Direction::HostToDevice;
        case cupti::CopyKind::DtoH:
        case cupti::CopyKind::AtoH:
            return Direction::DeviceToHost;
        case cupti::CopyKind::AtoA:
        case cupti::CopyKind::AtoD:
        case cupti::CopyKind::DtoA:
        case cupti::CopyKind::DtoD:
            return Direction::DeviceToDevice;
        case cupti::CopyKind::HtoH:
            return Direction::HostToHost;
        case cupti::CopyKind::PtoP:
            return Direction::BetweenDevices;
    }
    return Direction::None;
}

}  // namespace

std::optional<CuptiRecord> read_activity(const cupti::Activity& activity) {
    const void* const place = &activity;
    switch (activity.kind) {
        case cupti::Kind::Kernel:
        case cupti::Kind::ConcurrentKernel:
            return of_kernel(*static_cast<const cupti::KernelActivity*>(place));
        case cupti::Kind::Memcpy: {
            const auto& copy = *static_cast<const cupti::MemcpyActivity*>(place);
            return of_memory(copy,
                             runtime::record_of_copy(direction_of(copy.copy_kind), copy.bytes));
        }
        case cupti::Kind::Memcpy2: {
            const auto& copy = *static_cast<const cupti::PeerActivity*>(place);
            auto result =
                of_memory(copy, runtime::record_of_copy(Direction::BetweenDevices, copy.bytes));
            if (result) {
                result->devices[0] = copy.source_device;
                result->devices[1] = copy.destination_device;
            }
            return result;
        }
        case cupti::Kind::Memset: {
            const auto& fill = *static_cast<const cupti::MemsetActivity*>(place);
            return of_memory(fill, runtime::record_of_fill(fill.bytes));
        }
    }
    return std::nullopt;
}

ProfileRecord to_profile_record(const CuptiRecord& record) {
    ProfileRecord result = record.record;
    if (record.symbol != nullptr) result.name = kernel_name(record.symbol);
    return result;
}

}  // namespace warpwise::cuda
