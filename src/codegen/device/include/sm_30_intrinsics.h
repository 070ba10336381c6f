// The warp functions are in the implicit prelude.
#pragma once
