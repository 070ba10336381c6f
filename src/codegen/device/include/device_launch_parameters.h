// threadIdx and the other built-in variables are in the implicit prelude.
#pragma once
