// The memory and string functions are in the implicit prelude.
#pragma once
#include "stddef.h"
