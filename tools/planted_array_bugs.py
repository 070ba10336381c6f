"""Whether the tests of lazy arrays would find a bug in them: plants known ones, one at a time.

./dev python tools/planted_array_bugs.py [NUMBER ...]

Bugs of fusion, aliasing, liveness, commit and cuts. Each is built into the graph_test of build/dev,
whose random programs and loops run until one of them fails, dies or hangs. The sources are as
before afterwards, and so is the build. Fails if a bug stays unnoticed.
"""

from __future__ import annotations

import os
import subprocess
import sys

from planting import ROOT, Bug, build, try_bugs

GRAPH = "src/graph/"
TARGET = "bin/graph_test"
TESTS = "RandomArrayPrograms.*:Lengths/LoopBodies.*:*Failures.*:Laziness.*:Buffers.*:Exports.*"
PROGRAMS = "2000"
LIMIT_S = 300  # of all tests, until one counts as hanging


BUGS = (
    # --- fusion
    Bug(
        "a kernel passes values between different points",
        "plan.cpp",
        "const bool may_share = use.at_same_point && use.node->shape == use.node->space &&",
        "const bool may_share = use.node->shape == use.node->space &&",
    ),
    Bug(
        "reductions over different axes share a kernel",
        "plan.cpp",
        "if (node.reduction && draft.reduced && *draft.reduced != node.reduction->axes) continue;",
        "if (node.reduction && draft.reduced && draft.is_opaque) continue;",
    ),
    Bug(
        "a transposed square counts as the square",
        "plan.cpp",
        "input.access.strides == node.layout;",
        "input.access.strides.size() == node.layout.size();",
    ),
    Bug(
        "a view of a view forgets the outer one",
        "draft/draft.cpp",
        "number_of(edge.map.after(map_at(map))));",
        "number_of(IndexMap(edge.map)));",
    ),
    Bug(
        "a value that was computed at one place is used at another",
        "draft/draft.cpp",
        "const auto known = values_.find({planned.node.get(), map});",
        "const auto known = values_.find({planned.node.get(), 0 * map});",
    ),
    Bug(
        "axes are merged that one operand steps through differently",
        "draft/iteration_axes.cpp",
        "return std::ranges::all_of(operands.all, fits) &&",
        "return std::ranges::any_of(operands.all, fits) &&",
    ),
    Bug(
        "axes with gaps between rows are merged",
        "draft/iteration_axes.cpp",
        "return (*strides)[outer] == (*strides)[outer + 1] * extents[outer + 1];",
        "return (*strides)[outer] >= (*strides)[outer + 1] * extents[outer + 1];",
    ),
    Bug(
        "what a slice is computed from is read from the beginning",
        "view.cpp",
        "result.offset += start[static_cast<std::size_t>(k)] * stride;",
        "result.offset += 0 * stride;",
    ),
    # --- aliasing
    Bug(
        "a write in place runs beside a kernel that reads other elements",
        "plan.cpp",
        "const bool is_same = touch.memory == node.memory && touch.access == node.target &&",
        "const bool is_same = touch.memory == node.memory &&",
    ),
    Bug(
        "a write reads what it has overwritten",
        "plan.cpp",
        "touch.access == writer.target);",
        "true);",
    ),
    Bug(
        "a write does not wait for what reads the memory",
        "plan.cpp",
        "if (reads_before(*other, *node)) need(NodeRef(other));",
        "if (other == node) need(NodeRef(other));",
    ),
    Bug(
        "values that a write overwrites are not kept for arrays",
        "plan.cpp",
        "if (reads && (node.storage != nullptr || is_read_later)) nodes_[i].is_stored = true;",
        "if (reads && is_read_later) nodes_[i].is_stored = true;",
    ),
    Bug(
        "values that a write overwrites are not kept for later readers",
        "plan.cpp",
        "const bool is_read_later = readers[i].waits || readers[i].last > writer.id;",
        "const bool is_read_later = false;",
    ),
    Bug(
        "a write to a part counts as one to the whole",
        "write.cpp",
        "const bool is_whole = covers(target);",
        "const bool is_whole = !target.view.shape.empty() || covers(target);",
    ),
    Bug(
        "a write is placed at the start of the memory",
        "draft/draft.cpp",
        "kernel_.store_offsets.push_back(is_update ? node.target.offset : 0);",
        "kernel_.store_offsets.push_back(0);",
    ),
    Bug(
        "what was before a partial write is stored elsewhere",
        "write.cpp",
        "if (!before->memory) before->memory = storage.memory();",
        "if (!before->is_pending()) before->memory = storage.memory();",
    ),
    # --- liveness
    Bug(
        "a value that a later kernel reads is not stored",
        "plan.cpp",
        "if (of(*use.node).draft != chosen) this->planned(*use.node).is_stored = true;",
        "if (of(*use.node).draft > chosen) this->planned(*use.node).is_stored = true;",
    ),
    Bug(
        "the version before a partial write is not computed",
        "plan.cpp",
        "if (node.base && node.base->is_pending()) planned(*node.base).is_stored = true;",
        "if (node.base && !node.base->is_pending()) planned(*node.base).is_stored = true;",
    ),
    Bug(
        "a known plan serves an expression that asks for other values",
        "plan_cache.cpp",
        "(is_root_[node.mark] != 0 ? 1u : 0u));",
        "0u);",
    ),
    Bug(
        "a known plan serves an expression with other named values",
        "plan_cache.cpp",
        "(node.storage != nullptr ? 1u : 0u));",
        "0u);",
    ),
    Bug(
        "a known plan serves a view of another part",
        "plan_cache.cpp",
        "add(as_word(access.offset));",
        "add(std::uint64_t{0});",
    ),
    Bug(
        "a known plan has the numbers of the first time",
        "plan_cache.cpp",
        "if (draft.numbers[i] == kNone) continue;",
        "if (draft.numbers[i] != kNone - 1) continue;",
    ),
    Bug(
        "a known plan overlooks who waits beside a write",
        "plan_cache.cpp",
        "return !has_update || nodes_.size() == pending().count();",
        "return has_update || !nodes_.empty();",
    ),
    # --- commit
    Bug(
        "a result of a reduction counts as pending after it has run",
        "evaluate.cpp",
        "for (Node* node : draft.kernel.kept_stores) commit(*node);",
        "for (Node* node : draft.kernel.kept_stores) node->was_recomputed = true;",
    ),
    Bug(
        "an array does not get the memory of its value",
        "evaluate.cpp",
        "if (node.storage != nullptr) node.storage->set_memory(node.memory);",
        "if (node.storage == nullptr) return;",
    ),
    Bug(
        "a write in place that failed stays recorded",
        "write.cpp",
        "take_back(storage, node, before);",
        "static_cast<void>(&take_back);",
    ),
    Bug(
        "an operation that failed was recorded before",
        "record.cpp",
        "if (const auto roots = overdue(context); !roots.empty()) evaluate_nodes(roots, lock);",
        "if (pending().count() > 1000) evaluate_nodes(overdue(context), lock);",
    ),
    # --- cuts
    Bug(
        "loops are cut in the middle of their body",
        "pending.cpp",
        "return nodes[nodes.size() / period * period - 1];",
        "return nodes.back();",
    ),
    Bug(
        "loops are cut at a body that looks like another",
        "pending.cpp",
        "for (std::size_t period = 1; period <= nodes.size() / 2; ++period) {",
        "for (std::size_t period = 2; period <= nodes.size() / 2; period += 2) {",
    ),
)


def noticed() -> str:
    """How the tests noticed, or nothing."""
    command = [ROOT / "build" / "dev" / TARGET, f"--gtest_filter={TESTS}"]
    command += ["--gtest_fail_fast", "--gtest_brief=1"]
    environment = os.environ | {"WARPWISE_ARRAY_PROGRAMS": PROGRAMS}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return "a test hangs"
    if done.returncode < 0:
        return "a test dies"
    failed = [line for line in done.stdout.splitlines() if line.startswith("[  FAILED  ]")]
    return failed[0].split("]", 1)[1].split("(")[0].strip() if done.returncode else ""


def main(numbers: list[int]) -> None:
    if not build(TARGET) or noticed():
        raise SystemExit("tests fail without any planted bug")
    try_bugs(BUGS, numbers, GRAPH, TARGET, noticed)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]])
