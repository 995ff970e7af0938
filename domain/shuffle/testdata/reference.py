"""A second, independent implementation of the game's verifiable randomness.

Python 3, standard library only, written from the published contract and not from the Go code. It prints one JSON
object a line for many seeds, rounds and tables; reference.jsonl is that output, recorded:

    python3 reference.py > reference.jsonl
"""

import hashlib
import hmac
import json
import struct

SUITS = "DEGH"
CLIENT_SEEDS = [
    "", "a", "alpha", "β", "seed_with-all_Kinds-09", "ñandú", "魔法使い", "🃏", "e\u0301", "x" * 64, "\u2028<&>", "0",
]


def deck_in_order():
    suits = [s + str(rank) for s in SUITS for rank in range(1, 14)]
    return suits + ["W%d" % n for n in range(1, 5)] + ["J%d" % n for n in range(1, 5)]


def commitment(label, secret):
    return hashlib.sha256(label.encode("ascii") + b"\x00" + secret).hexdigest()


def entropy_of(client_seeds):
    message = b""
    for seed in client_seeds:
        raw = seed.encode("utf-8")
        message += struct.pack(">I", len(raw)) + raw
    return hashlib.sha256(message).digest()


def key(seed, label, game_id, number, entropy):
    message = label.encode("ascii") + b"\x00" + game_id.encode("ascii") + b"\x00" + struct.pack(">I", number) + entropy
    return hmac.new(seed, message, hashlib.sha256).digest()


def numbers(secret):
    i = 0
    while True:
        yield from struct.unpack(">8I", hmac.new(secret, struct.pack(">I", i), hashlib.sha256).digest())
        i += 1


def below(source, n):
    limit = 2**32 // n * n
    for v in source:
        if v < limit:
            return v % n


def first_dealer(seed, game_id, entropy, players):
    return below(numbers(key(seed, "mago/dealer/v1", game_id, 1, entropy)), players)


def deck(seed, game_id, number, entropy):
    source = numbers(key(seed, "mago/deal/v1", game_id, number, entropy))
    cards = deck_in_order()
    for i in range(59, 0, -1):
        j = below(source, i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def cases():
    for n in range(20):
        seed = hashlib.sha256(b"reference seed %d" % n).digest()
        game_id = "0190b2a4-0000-7000-8000-%012x" % (n * 7919)
        for players in range(3, 7):
            client_seeds = [CLIENT_SEEDS[(n * players + 5 * s) % len(CLIENT_SEEDS)] for s in range(players)]
            yield seed, game_id, client_seeds, (n * 4 + players) % 20 + 1


def main():
    for seed, game_id, client_seeds, number in cases():
        entropy = entropy_of(client_seeds)
        print(json.dumps({
            "seed": seed.hex(),
            "game_id": game_id,
            "client_seeds": client_seeds,
            "round": number,
            "commitment": commitment("mago/commit/v1", seed),
            "bot_commitment": commitment("mago/bot-commit/v1", seed),
            "entropy": entropy.hex(),
            "dealer": first_dealer(seed, game_id, entropy, len(client_seeds)),
            "deck": " ".join(deck(seed, game_id, number, entropy)),
        }, sort_keys=True))


if __name__ == "__main__":
    main()
