// The vector types are in the implicit prelude.
#pragma once
