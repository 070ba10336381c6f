// The only code that depends on the internals of nanobind's functions and instances; it is compiled
// against the sources that are linked in (CMakeLists.txt).
#include "python/bindings/interpreter/hot_call.hpp"

#include <nb_internals.h>

#include <utility>

#include "python/bindings/interpreter/instances.hpp"

namespace warpwise::python {

vectorcallfunc exchange_call(nanobind::handle function, vectorcallfunc call) noexcept {
    auto* const bound = reinterpret_cast<nanobind::detail::nb_func*>(function.ptr());
    return std::exchange(bound->vectorcall, call);
}

[[gnu::hot]] void* value_in(nanobind::handle instance) noexcept {
    using nanobind::detail::nb_inst;
    using nanobind::detail::nb_inst_state;
    auto* const seen = reinterpret_cast<nb_inst*>(instance.ptr());
    if (seen->state.state != nb_inst_state::state_ready) return nullptr;
    return nanobind::detail::inst_ptr(seen);
}

}  // namespace warpwise::python
