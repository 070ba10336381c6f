// See scope.hpp.
#include "python/bindings/device/scope.hpp"

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

struct OpenScope {
    const void* owner;
    std::variant<std::unique_ptr<DeviceScope>, std::unique_ptr<StreamScope>> scope;
};

thread_local std::vector<OpenScope> open_scopes;

}  // namespace

void enter_scope(const void* owner, const Device& device) {
    open_scopes.push_back({owner, std::make_unique<DeviceScope>(device)});
}

void enter_scope(const void* owner, const Stream& stream) {
    open_scopes.push_back({owner, std::make_unique<StreamScope>(stream)});
}

void leave_scope(const void* owner) {
    auto found = std::find_if(open_scopes.rbegin(), open_scopes.rend(),
                              [owner](const OpenScope& open) { return open.owner == owner; });
    if (found == open_scopes.rend())
        throw ArgumentError(ArgumentError::Kind::Value,
                            "this thread is not inside the `with` block it exits; enter and exit "
                            "a device or stream in one thread");
    open_scopes.erase(std::next(found).base());
}

}  // namespace warpwise::python
