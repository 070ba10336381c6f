// The run time's types belong to the host; nothing of them is needed on the device.
#pragma once
