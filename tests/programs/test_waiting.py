"""Threads and blocks that wait for one another: flags, locks, queues."""

import itertools

import numpy as np
import pytest
import scipy.integrate

import warpwise as ww


def test_producers_and_consumers(load, rng):
    run = load("waiting/pipeline.cu")
    pairs, batches, width = 3, 7, 75
    data = rng.integers(-1000, 1000, (pairs, batches, width)).astype(np.int32)
    flags, slots = ww.mem_alloc(4 * 2 * pairs), ww.mem_alloc(4 * 2 * pairs * width)
    flags.fill(0)
    layout = np.dtype([("flags", "u8"), ("slots", "u8"), ("width", "i4")], align=True)
    ring = np.array((int(flags), int(slots), width), layout)
    sums = np.zeros((pairs, batches), np.int64)
    run("pipeline", ww.In(data), batches, ring, ww.Out(sums), grid=2 * pairs, block=32)
    assert np.array_equal(sums, (3 * data.astype(np.int64) + 1).sum(2))


def test_a_list_under_a_spin_lock(load, rng):
    run = load("waiting/locks.cu")
    n = 101
    values = rng.integers(-50, 50, n).astype(np.int32)
    value, following, state = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(3, np.int32)
    run("insert_sorted", ww.In(values), n, ww.Out(value), ww.Out(following), grid=4, block=32)
    run.module.get_global("list").copy_to(state)
    taken, used, at = state
    assert (taken, used) == (0, n)
    in_order = []
    while at >= 0:
        in_order.append(int(value[at]))
        at = following[at]
    assert in_order == sorted(values.tolist())


def test_accounts_under_ticket_locks(load, rng):
    run = load("waiting/locks.cu")
    layout = np.dtype([("next", "u4"), ("served", "u4"), ("balance", "i8")])
    accounts = np.zeros(5, layout)
    accounts["balance"] = 1000
    orders = rng.integers(0, 5, (83, 3)).astype(np.int32)
    want = accounts["balance"].copy()
    for source, target, amount in orders.tolist():
        want[source] -= amount
        want[target] += amount
    memory = ww.mem_alloc(accounts.nbytes)
    memory.copy_from(accounts.view(np.uint8))
    run("transfer", memory, ww.In(orders), len(orders), grid=8, block=32)
    after = np.zeros(accounts.nbytes, np.uint8)
    memory.copy_to(after)
    after = after.view(layout)
    assert np.array_equal(after["balance"], want)
    assert np.array_equal(after["next"], after["served"])


@pytest.mark.parametrize("slots", [1, 3])
def test_a_pool_with_fewer_slots_than_threads(load, rng, slots):
    n, width = 75, 9
    rows, out = rng.random((n, width), np.float32), np.zeros(n, np.float32)
    taken, scratch = ww.mem_alloc(4 * slots), ww.mem_alloc(4 * slots * width)
    taken.fill(0)
    layout = [("taken", "u8"), ("scratch", "u8"), ("slots", "i4"), ("width", "i4")]
    pool = np.array((int(taken), int(scratch), slots, width), layout)
    load("waiting/slot_pool.cu")("medians", ww.In(rows), n, pool, ww.Out(out), grid=2, block=64)
    assert np.array_equal(out, np.median(rows, axis=1))


def test_rows_drawn_by_a_counter(load, rng):
    run = load("waiting/work_queue.cu")
    lengths = rng.integers(0, 200, 57)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    values = rng.standard_normal(starts[-1]).astype(np.float32)
    norms = np.zeros(lengths.size, np.float32)
    run("uneven_rows", ww.In(starts), ww.In(values), lengths.size, ww.Out(norms), grid=4, block=64)
    want = [np.linalg.norm(values[a:b].astype(np.float64)) for a, b in itertools.pairwise(starts)]
    assert np.allclose(norms, want, rtol=1e-5)


def test_adaptive_quadrature_by_a_growing_queue(load):
    run = load("waiting/work_queue.cu")
    capacity = 4000
    queue = np.array((1, 0, 1), [("tail", "i4"), ("head", "i4"), ("pending", "i4")]).reshape(1)
    intervals, ready = np.zeros((capacity, 2)), np.zeros(capacity, np.int32)
    intervals[0], ready[0] = (-1, 1.25), 1
    result = np.zeros(1)
    run(
        "integrate", ww.InOut(queue), ww.InOut(intervals), ww.InOut(ready), capacity, 1e-7,
        ww.InOut(result), grid=3, block=1,
    )  # fmt: skip
    want, _ = scipy.integrate.quad(lambda x: 1 / (1e-3 + x * x), -1, 1.25, points=[0], limit=200)
    assert queue["pending"][0] == 0
    assert 10 < queue["tail"][0] < capacity - 2
    assert np.isclose(result[0], want, atol=1e-6)


RECORD = np.dtype([("version", "u4"), ("count", "i4"), ("sum", "i8")])


def test_sums_under_versioned_locks(load, rng):
    values = rng.integers(-1000, 1000, 997).astype(np.int32)
    records = np.zeros(3, RECORD)
    run = load("waiting/versioned_lock.cu")
    run("add_all", ww.InOut(records), 3, ww.In(values), values.size, grid=3, block=50)
    assert [records["sum"][k] for k in range(3)] == [values[k::3].sum() for k in range(3)]
    assert np.array_equal(records["version"], 2 * records["count"])


def test_readers_of_a_versioned_record_never_see_half_a_write(load):
    record, torn = np.zeros(1, RECORD), np.zeros(1, np.int32)
    run = load("waiting/versioned_lock.cu")
    run("pairs", ww.InOut(record), 100, ww.InOut(torn), grid=4, block=37)
    assert torn[0] == 0
    assert record["count"][0] == record["sum"][0] == 200
