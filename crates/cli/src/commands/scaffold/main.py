def main(amount, rate, times):
    """Gets its parameters by name. What it returns is the result; what it prints is only shown.

    Files that were given to the run, and files it makes, stand in /mnt/data.
    """
    for _ in range(times):
        amount += amount * rate
    return round(amount, 2)
