// `with device:` and `with stream:`: scopes of the library held open between __enter__ and
// __exit__.
//
// Scopes belong to a thread. One object may be entered several times; __exit__ closes its innermost
// scope of the calling thread.
#pragma once

#include "warpwise/device.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {

// `owner` identifies the Python object.
void enter_scope(const void* owner, const Device& device);
void enter_scope(const void* owner, const Stream& stream);
// Throws ArgumentError when the calling thread has not entered `owner`.
void leave_scope(const void* owner);

}  // namespace warpwise::python
