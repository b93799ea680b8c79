def count(text: str) -> int:
    return len(text.split())
