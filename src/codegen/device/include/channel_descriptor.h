// The texture functions are in the implicit prelude.
#pragma once
