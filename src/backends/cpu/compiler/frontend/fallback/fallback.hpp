// The fallback for sources that clang's CUDA mode does not parse: the next parse reads a text
// without the host code that has no declarations here, and without the device code that needs
// something absent.
//
// Invariants: every step takes all defects that one parse reports; an error of the user's own in
// device code is never passed over: the kernels that reach left-out device code are refused;
// notes() names whatever is missing from the text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/frontend/fallback/defects.hpp"
#include "src/backends/cpu/compiler/frontend/fallback/edits.hpp"
#include "src/backends/cpu/compiler/frontend/fallback/nested_launches.hpp"
#include "src/backends/cpu/compiler/frontend/parse/failed_parse.hpp"

namespace warpwise::cpu_compiler {

class Fallback {
  public:
    explicit Fallback(const std::string& source) : edits_(source) {}

    // Each returns whether the next parse reads something new.
    //
    // Rewrites what nvcc accepts as written: registers, late attributes, pragmas that mean nothing
    // to it, objects in shared memory whose constructors do not run and, if `has_launches`,
    // launches in device code.
    bool adapt(const FailedParse& failed, bool has_launches);
    bool leave_out_host_code(const FailedParse& failed);
    // Replaces each body by a call of the service for refused code.
    bool refuse_device_code(const FailedParse& failed);

    // From now on a header of the user's own that is missing is no error by itself.
    void allow_refusals() noexcept { may_refuse_ = true; }
    bool may_refuse() const noexcept { return may_refuse_; }

    const std::string& source() const noexcept { return edits_.source(); }
    const std::map<std::string, std::string>& files() const noexcept { return edits_.files(); }
    // By the argument of the call.
    const std::vector<DeviceDefect>& refusals() const noexcept { return refusals_; }
    // What the text lacks: first how much, then one sentence for each declaration.
    std::vector<std::string> notes() const;

  private:
    Edits edits_;
    NestedLaunches launches_;
    std::vector<DeviceDefect> refusals_;
    std::vector<std::string> left_out_;  // one sentence for each declaration
    std::vector<std::string> notes_;     // on what is written differently and means less
    bool may_refuse_ = false;
};

}  // namespace warpwise::cpu_compiler
