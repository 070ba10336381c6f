// The keywords of CUDA C++ are in the implicit prelude.
#pragma once
