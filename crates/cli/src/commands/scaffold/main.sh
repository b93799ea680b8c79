#!/bin/sh
# Gets the parameters it declares as environment variables, and all of them as JSON on standard input.
# What it writes to $RESULT_FILE, as JSON, is the result. Files given to it, and files it makes, stand in /mnt/data.
set -eu
echo "$greeting from the sandbox"
