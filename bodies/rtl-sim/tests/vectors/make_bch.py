"""Writes bch.csv: code words and corrections of the library galois, for the tests of the codec.

Run: python3 -m pip install galois==0.4.11 && python3 make_bch.py > bch.csv
"""

import random

import galois
import numpy

# (bytes of a chunk, correctable bits, primitive polynomial with its leading term)
CODES = [(256, 13, 0x1053), (29, 2, 0x11D)]


def hexadecimal(bits):
    padded = list(bits) + [0] * (-len(bits) % 8)
    return numpy.packbits(numpy.array(padded, dtype=numpy.uint8)).tobytes().hex()


def rows(chunk_bytes, t, polynomial, draw):
    degree = polynomial.bit_length() - 1
    field = galois.GF(2**degree, irreducible_poly=polynomial, primitive_element=2)
    code = galois.BCH(field.order - 1, d=2 * t + 1, extension_field=field, alpha=field(2))
    for errors in list(range(t + 3)) * 2:
        data_bits = chunk_bytes * 8
        data = galois.GF2([draw.getrandbits(1) for _ in range(data_bits)])
        word = code.encode(data)
        places = sorted(draw.sample(range(len(word)), errors))
        received = word.copy()
        for place in places:
            received[place] += galois.GF2(1)
        decoded, corrected = code.decode(received, errors=True)
        if corrected >= 0 and errors <= t:
            assert (decoded == data).all() and corrected == errors
        if errors > t and corrected >= 0:
            continue  # taken for another code word, as must happen now and then
        parity = hexadecimal(word[data_bits:])
        yield chunk_bytes, hexadecimal(data), parity, " ".join(map(str, places)), int(corrected)


def main():
    draw = random.Random(1)
    print(f"# Written by make_bch.py with galois {galois.__version__}.")
    print("chunk_bytes,data,parity,wrong_bits,corrected")
    for code in CODES:
        for row in rows(*code, draw):
            print(",".join(map(str, row)))


main()
