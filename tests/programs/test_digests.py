"""Digests and ciphers, against Python's own or their definition."""

import hashlib
import zlib

import numpy as np

import warpwise as ww


def fractions(roots):
    """The first 32 bits of the fractions of some numbers."""
    return np.floor((roots % 1) * 2.0**32).astype(np.uint32)


def test_sha256(load, rng):
    run = load("digests/sha256.cu")
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))]
    constants = fractions(np.cbrt(np.array(primes, np.longdouble)))
    run.module.get_global("round_constants").copy_from(constants)
    messages = [rng.bytes(int(size)) for size in [0, 55, 56, 63, 64, *rng.integers(0, 200, 40)]]
    offsets = np.cumsum([0] + [len(m) for m in messages]).astype(np.int32)
    data = np.frombuffer(b"".join(messages), np.uint8)
    digests = np.zeros((len(messages), 32), np.uint8)
    run(
        "sha256_batch", ww.In(data), ww.In(offsets), len(messages),
        ww.Out(digests.view(np.uint32)), grid=2, block=32,
    )  # fmt: skip
    assert [row.tobytes() for row in digests] == [hashlib.sha256(m).digest() for m in messages]


def test_md5_search(load, rng):
    run = load("digests/md5.cu")
    sines = np.floor(np.abs(np.sin(np.arange(1, 65))) * 2.0**32).astype(np.uint32)
    run.module.get_global("sines").copy_from(sines)
    first, count = 4567, 1000
    secret = first + int(rng.integers(0, count))
    digest = np.frombuffer(hashlib.md5(b"%06d" % secret).digest(), np.uint32)
    wanted = np.array(tuple(digest), [(name, "u4") for name in "xyzw"])
    found = np.full(1, -1, np.int32)
    run("search_digits", wanted, 6, first, count, ww.InOut(found), grid=8, block=128)
    assert found[0] == secret


def test_crc32(load, rng):
    n, piece = 5003, 41
    data, crc = rng.integers(0, 256, n).astype(np.uint8), np.zeros(1, np.uint32)
    load("digests/crc32.cu")("crc32", ww.In(data), n, piece, ww.InOut(crc), grid=4, block=32)
    assert int(crc[0]) ^ 0xFFFFFFFF == zlib.crc32(data.tobytes())


def times(a, b):
    """The product in AES's field."""
    product = 0
    while b:
        product ^= a * (b & 1)
        a, b = a << 1 ^ (a >> 7) * 0x11B, b >> 1
    return product


def aes(key, block):
    """AES-128 as its standard defines it."""
    powers = [1]
    while len(powers) < 255:
        powers.append(times(powers[-1], 3))
    inverse = [0] + [powers[-powers.index(x) % 255] for x in range(1, 256)]
    box = []
    for x in inverse:
        bits = [x >> i & 1 for i in range(8)]
        turned = [bits[i] ^ bits[i - 4] ^ bits[i - 3] ^ bits[i - 2] ^ bits[i - 1] for i in range(8)]
        box.append(sum(bit << i for i, bit in enumerate(turned)) ^ 0x63)
    words, constant = [list(key[i : i + 4]) for i in range(0, 16, 4)], 1
    for i in range(4, 44):
        word = words[-1]
        if i % 4 == 0:
            word = [box[x] for x in word[1:] + word[:1]]
            word[0] ^= constant
            constant = times(constant, 2)
        words.append([a ^ b for a, b in zip(words[i - 4], word)])
    keys = [[byte for word in words[i : i + 4] for byte in word] for i in range(0, 44, 4)]
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number in range(1, 11):
        state = [box[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < 10:
            mixed = []
            for c in range(0, 16, 4):
                w = state[c : c + 4]
                mixed += [
                    times(w[r], 2) ^ times(w[(r + 1) % 4], 3) ^ w[(r + 2) % 4] ^ w[(r + 3) % 4]
                    for r in range(4)
                ]
            state = mixed
        state = [a ^ b for a, b in zip(state, keys[number])]
    return bytes(state)


def test_aes_known_answer():
    key, plain = bytes(range(16)), bytes(17 * i for i in range(16))
    assert aes(key, plain).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


def test_aes_counter_mode(load, rng):
    run = load("digests/aes.cu")
    key, nonce, blocks = rng.bytes(16), rng.bytes(12), 45
    columns = [(name, "u4") for name in "xyzw"]
    start = np.frombuffer(nonce + bytes(4), columns)[0]
    run("prepare", np.frombuffer(key, columns)[0], block=256)
    out = np.zeros((blocks, 16), np.uint8)
    run("encrypt_counters", ww.Out(out.view(np.uint32)), start, blocks, grid=2, block=32)
    for b in (0, 1, 31, 44):
        assert out[b].tobytes() == aes(key, nonce + b.to_bytes(4, "big"))
