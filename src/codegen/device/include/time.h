// clock and clock_t are in the implicit prelude.
#pragma once
#include "stddef.h"
