// alloca() is in the implicit prelude.
#pragma once
#include "stdlib.h"
