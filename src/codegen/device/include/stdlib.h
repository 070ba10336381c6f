// malloc, free, calloc, abs and abort are in the implicit prelude.
#pragma once
#include "stddef.h"
