// Everything of the device side is in the implicit prelude already.
#pragma once
