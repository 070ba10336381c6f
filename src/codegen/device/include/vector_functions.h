// The make_ functions are in the implicit prelude.
#pragma once
