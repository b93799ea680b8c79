"""Texts of every kind with their tokens and vectors, for the tests of other implementations."""

from table import embed_text

TEXTS = (
    "", " ", "...", "!?", "_", "a", "PDF", "pdf", "fill in a PDF form", "Fill in a PDF form.", "How do I merge two PDF files?",
    "HTTPServer", "httpServer", "getUserID", "parseJSONResponse2XML", "v2Beta", "snake_case_name", "kebab-case-name", "SCREAMING_CASE",
    "iOS", "GitHub", "github", "PyTorch", "JavaScript", "OAuth2Token", "x86_64", "C++", "C#", "node.js", "don't", "what's the weather like?",
    "kubernetes", "Refactor this function and run pytest", "docker-compose.yml", "https://example.com/path?q=1&lang=en", "user@example.com",
    "naïve café", "Ångström", "ﬁle ﬂow", "Straße", "İstanbul", "ΑΣΦΑΛΕΙΑ ΟΔΟΣ", "½ cup of sugar", "x² + y³", "①②③", "ｆｕｌｌ ｗｉｄｔｈ",
    "日本語のテキスト", "机器学习模型", "한국어 문장", "Привет, мир", "مرحبا بالعالم", "हिन्दी पाठ", "สวัสดี", "emoji 🚀 and 👩‍💻 text",
    "2024-11-15T21:42:00Z", "1,234.56", "0x1F600", "tab\tand\nnew line", "e\u0301tude", "supercalifragilisticexpialidocious",
    "z" * 64, "z" * 65, "word " * 300, "HelloWORLDagain ABCdef aB", "I need some interactive educational games for my four-year-old.",
    "Use when the user wants to extract tables from scanned documents, convert them to CSV, or check totals.",
    "Write release notes from merged pull requests.", "Deploy a container to the cluster and roll back on failure",
)


def golden_cases(rows, tokenizer):
    """Each text with its token ids and the first eight numbers of its vector (none where there is no token)."""
    cases = []
    for text in TEXTS:
        vector = embed_text(rows, tokenizer, text)
        first = None if vector is None else [round(float(x), 6) for x in vector[:8]]
        cases.append({"text": text, "tokens": tokenizer.encode(text), "first": first})
    return cases
