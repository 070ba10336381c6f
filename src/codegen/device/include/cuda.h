// The driver's API belongs to the host; the device side is in the implicit prelude.
#pragma once
