#!/usr/bin/env python3
"""Compiles the device headers with clang as the frontend does, and proves what can be folded.

    check_device_headers.py CLANG ROOT GENERATED

GENERATED holds the headers that the build writes.
For both targets and every standard: the prelude as a precompiled header, each user header alone,
all of them together, and the sources of tests/unit/codegen/device/. No diagnostic is allowed, and
no check may be left in the optimised code of those sources. Also: our mathematics leaves nothing to
contraction, no header of the host's standard library is in reach, and every service of
device_calls.def is declared with its parameters.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

FLAGS = [
    *("-cc1", "-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-unknown-linux-gnu"),
    *("-target-cpu", "sm_80", "-target-feature", "+ptx85", "-fcuda-is-device", "-O2"),
    *("-ffp-contract=fast", "-Wall", "-Wextra", "-Werror", "-nostdsysteminc", "-nobuiltininc"),
    *("-x", "cuda"),
]
TARGETS = {"cpu": ["-D__WARPWISE_CPU__"], "ptx": []}
STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
# Services that no header declares: clang calls vprintf, and the lowering inserts the others.
UNDECLARED = {"printf", "yield", "erfc", "pow", "gang_collective", "gang_wraps", "mbarrier_update"}
TYPES = {"std::uint32_t": "uint32_t", "std::int32_t": "int32_t", "std::uint64_t": "uint64_t"}


class Checker:
    def __init__(
        self, clang: str, root: pathlib.Path, generated: pathlib.Path, folder: pathlib.Path
    ):
        self.clang, self.root, self.folder = clang, root, folder
        self.generated = generated
        self.device = root / "src/codegen/device"
        self.failures: list[str] = []

    def run(self, name: str, source: pathlib.Path, flags: list[str]) -> str:
        """The IR of `source`; a diagnostic is a failure."""
        folders = [self.device / "include", *(p for p in self.generated.iterdir() if p.is_dir())]
        search = [word for path in folders for word in ("-internal-isystem", str(path))]
        command = [self.clang, *FLAGS, *search, *flags]
        done = subprocess.run([*command, str(source)], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            self.failures.append(f"{name}:\n{done.stderr[:2000]}")
        return done.stdout

    def user_headers(self) -> list[str]:
        include = self.device / "include"
        return sorted(str(p.relative_to(include)) for p in include.rglob("*") if p.is_file())

    def text(self, name: str, body: str) -> pathlib.Path:
        path = self.folder / f"{name}.cu"
        path.write_text(body)
        return path

    def compile_all(self) -> None:
        headers = self.user_headers()
        together = "".join(f"#include <{h}>\n" for h in headers) * 2
        # PyCUDA puts sources, their includes too, between the braces of an extern "C".
        everything = self.text("together", f'extern "C" {{\n{together}}}\n')
        for target, defines in TARGETS.items():
            for standard in STANDARDS:
                name = f"{target} {standard}"
                pch = self.folder / f"{target}-{standard}.pch"
                common = [*defines, f"-std={standard}"]
                prelude = self.device / "warpwise_device.cuh"
                self.run(f"prelude, {name}", prelude, [*common, "-emit-pch", "-o", str(pch)])
                common += ["-include-pch", str(pch), "-emit-llvm", "-o", "-"]
                self.run(f"all headers, {name}", everything, common)
                if standard in ("c++11", "c++20") and target == "cpu":
                    for header in headers:
                        alone = self.text("alone", f"#include <{header}>\n")
                        self.run(f"<{header}>, {name}", alone, common)
                for source in sorted((self.root / "tests/unit/codegen/device").glob("*.cu")):
                    self.fold(f"{source.name}, {name}", source, common)

    def fold(self, name: str, source: pathlib.Path, flags: list[str]) -> None:
        ir = self.run(name, source, flags)
        for line in re.findall(r"call void @device_check_failed\(i32 noundef (\d+)\)", ir):
            self.failures.append(f"{name}: the check of line {line} does not hold")

    def contraction(self) -> None:
        """No sum or product of our mathematics may be fused but by a written fma."""
        source = self.root / "tests/unit/codegen/device/mathematics.cu"
        prelude = str(self.device / "warpwise_device.cuh")
        ir = self.run(
            "mathematics.cu, unoptimised",
            source,
            [
                "-std=c++17",
                "-D__WARPWISE_CPU__",
                "-include",
                prelude,
                "-disable-llvm-passes",
                "-emit-llvm",
                "-o",
                "-",
            ],
        )
        for function in re.split(r"^define ", ir, flags=re.M)[1:]:
            name = re.search(r"@(\w+)", function).group(1)
            if "4__ww" in name and re.search(r" = f(add|sub|mul|div) .*contract ", function):
                self.failures.append(f"{name} leaves it to others what is fused")

    def host_headers_absent(self) -> None:
        for header in ("iostream", "vector", "string", "bits/types.h", "features.h"):
            source = self.text("absent", f"#if __has_include(<{header}>)\n#error found\n#endif\n")
            self.run(f"<{header}> must not exist", source, ["-std=c++17", "-fsyntax-only"])

    def services_declared(self) -> None:
        rows = (self.root / "src/backends/cpu/device_calls.def").read_text()
        declared = (self.device / "core/services.cuh").read_text()
        calls = re.findall(r"^WARPWISE_(?:THREAD|LEAF)_CALL\(\w+, (\w+), ([^)]*)\)", rows, re.M)
        for name, rest in calls:
            result, *parameters = [TYPES.get(t, t) for t in self.types(rest)]
            found = re.search(rf"^__WW_\w+ ([^\n]*?)__ww_{name}\(([^)]*)\)", declared, re.M)
            if name in UNDECLARED:
                continue
            ours = [found.group(1).strip(), *self.types(found.group(2))] if found else None
            if ours != [result, *parameters]:
                self.failures.append(f"__ww_{name}: {ours} declared, {[result, *parameters]} due")

    @staticmethod
    def types(text: str) -> list[str]:
        """The types of "void, std::uint32_t id, const char* text", names dropped."""
        parts = [" ".join(part.split()) for part in text.split(",") if part.strip()]
        named = re.compile(r"^(.*[\w*>]) +(?!char$|void$|double$|int$)\w+$|^(.*\*) *\w+$")
        found = []
        for part in parts:
            match = named.match(part)
            found.append((match.group(1) or match.group(2)).strip() if match else part)
        return found


def main() -> int:
    clang, root, generated = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(clang, root, generated, pathlib.Path(folder))
        checker.compile_all()
        checker.contraction()
        checker.host_headers_absent()
        checker.services_declared()
    for failure in checker.failures:
        print(failure, file=sys.stderr)
    print(f"{len(checker.failures)} failures")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
