// printf is in the implicit prelude; there are no files on a device.
#pragma once
#include "stddef.h"
