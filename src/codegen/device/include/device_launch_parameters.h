// threadIdx and its kin are in the implicit prelude.
#pragma once
