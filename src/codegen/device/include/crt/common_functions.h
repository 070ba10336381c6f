// The device functions are in the implicit prelude.
#pragma once
