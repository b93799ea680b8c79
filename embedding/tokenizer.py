"""The tokenizer of the embedding table, rule for rule the one of the search crate.

Whoever changes a rule here changes it there too: the rows of the table belong to these tokens.
"""

import unicodedata

LONGEST_WORD = 64
MOST_TOKENS = 256
IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))


def split_identifiers(text):
    """Puts a space into `fooBar`, `v2Beta` and `HTTPServer` where a reader sees one."""
    out = []
    for at, char in enumerate(text):
        if at and char.isupper():
            before = text[at - 1]
            after = text[at + 1] if at + 1 < len(text) else ""
            if before.islower() or "0" <= before <= "9" or (before.isupper() and after.islower()):
                out.append(" ")
        out.append(char)
    return "".join(out)


def words(text):
    """The lower-case words of a text, accents dropped, each ideograph a word of its own."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", split_identifiers(text))
        plain = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
        chars = []
        for char in plain.lower():
            if is_ideograph(char):
                chars.append(f" {char} ")
            else:
                chars.append(char if char.isalnum() else " ")
        return "".join(chars).split()
    lower = split_identifiers(text).lower()
    return lower.translate(ASCII_SEPARATORS).split()


def is_ideograph(char):
    """Whether a character is written without spaces around its words."""
    return any(first <= ord(char) <= last for first, last in IDEOGRAPHS)


ASCII_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum()}


class Tokenizer:
    """Greedy longest match over a vocabulary; a word that does not match gives nothing."""

    def __init__(self, vocabulary):
        self.ids = {token: at for at, token in enumerate(vocabulary)}
        self.longest = max(map(len, vocabulary))
        self.known = {}

    def encode(self, text):
        """The token ids of a text, at most `MOST_TOKENS`."""
        ids = []
        for word in words(text):
            pieces = self.known.get(word)
            if pieces is None:
                pieces = self.known[word] = self.pieces(word)
            ids.extend(pieces)
            if len(ids) >= MOST_TOKENS:
                return ids[:MOST_TOKENS]
        return ids

    def pieces(self, word):
        """The ids of one word, or none where some part of it is unknown."""
        if len(word) > LONGEST_WORD:
            return []
        found, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                row = self.ids.get(mark + word[start:end])
                if row is not None:
                    found.append(row)
                    start = end
                    break
            else:
                return []
        return found
