// Everything a user needs, in one include. The library itself includes single headers.
#pragma once

#include "warpwise/buffer.hpp"     // IWYU pragma: export
#include "warpwise/cache.hpp"      // IWYU pragma: export
#include "warpwise/device.hpp"     // IWYU pragma: export
#include "warpwise/dtype.hpp"      // IWYU pragma: export
#include "warpwise/error.hpp"      // IWYU pragma: export
#include "warpwise/graph.hpp"      // IWYU pragma: export
#include "warpwise/kernel.hpp"     // IWYU pragma: export
#include "warpwise/module.hpp"     // IWYU pragma: export
#include "warpwise/output.hpp"     // IWYU pragma: export
#include "warpwise/pool.hpp"       // IWYU pragma: export
#include "warpwise/settings.hpp"   // IWYU pragma: export
#include "warpwise/signature.hpp"  // IWYU pragma: export
#include "warpwise/stream.hpp"     // IWYU pragma: export
#include "warpwise/version.hpp"    // IWYU pragma: export
