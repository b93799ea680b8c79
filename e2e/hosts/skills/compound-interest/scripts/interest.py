def interest(principal: float, rate: float, years: float) -> float:
    return round(principal * (1 + rate / 12) ** (12 * years), 2)
