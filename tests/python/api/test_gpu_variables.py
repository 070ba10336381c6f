"""Variables of sources for GPUs: NVRTC runs before their names are known and keeps them all."""

from __future__ import annotations

import pytest

import warpwise as ww

USE = "__global__ void k(int *p) { *p = 1; }\n"
# What a scan of the source finds, what it misses, and what it mistakes for something else.
SOURCES = {
    "plain": "__constant__ float kept[4];\n",
    "static": "static __device__ int kept;\n",
    "namespace": "namespace n { __device__ int kept; }\n",
    "condition": "#if 1\n__device__ int kept;\n#else\n__device__ float other;\n#endif\n",
    "macro": "#define HERE __device__\nHERE int kept;\n",
    "managed": "__managed__ int kept;\n",
    "device and managed": "__device__ __managed__ int kept;\n",
    "initialised": "__device__ int kept[] = {1, 2}, also_kept;\n",
    "text": '__device__ const char *kept = "; __device__ int no;";\n',
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_unused_variables_are_in_the_cubin(source: str) -> None:
    code = ww.compile(source + USE, target="sm_90", format="cubin")
    assert b"kept" in code


def test_those_of_a_header_on_disk_too(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "mine.h").write_text("__device__ int kept;\n")
    code = ww.compile(
        '#include "mine.h"\n' + USE, target="sm_90", format="cubin", include_dirs=[tmp_path]
    )
    assert b"kept" in code
