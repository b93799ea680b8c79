"""Executes code in Jupyter kernels and says how long it took.

Each line of standard input is a JSON object: {"kernel": "warm" or "new", "code": ..., "result": ...}. Each line of
standard output is the time in milliseconds, from asking to the result, without any of the transport to here. A new
kernel's time begins with its start; its end is not counted.
"""

import json
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager


def start():
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(stderr=subprocess.DEVNULL)
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    return manager, client


def stop(manager, client):
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def execute(client, code):
    request = client.execute(code, store_history=False)
    result = None
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "execute_result":
            result = message["content"]["data"]["text/plain"]
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            break
    client.get_shell_msg(timeout=60)
    return result


def main():
    warm = start()
    for line in sys.stdin:
        asked = json.loads(line)
        began = time.perf_counter()
        kernel = warm if asked["kernel"] == "warm" else start()
        result = execute(kernel[1], asked["code"])
        took = (time.perf_counter() - began) * 1000
        if kernel is not warm:
            stop(*kernel)
        if result != asked["result"]:
            sys.exit(f"a kernel answered {result!r}, not {asked['result']!r}")
        print(took, flush=True)
    stop(*warm)


if __name__ == "__main__":
    main()
