// Marks what leaves the shared library; everything else is hidden.
#pragma once

#define WARPWISE_API __attribute__((visibility("default")))
