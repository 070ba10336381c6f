// The loads with cache hints are in the implicit prelude.
#pragma once
