#!/usr/bin/env python3
"""stream.py NETWORK NETWORK ADDRESS BYTES: the seconds that BYTES take from a process in the first network to ADDRESS in the second
over TCP, the opening of the connection included; "never" when nothing passes for five seconds. Networks are files, as
/run/netns/a."""
import ctypes, os, socket, sys, threading, time

CLONE_NEWNET = 0x40000000
network_from, network_to, address, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def enter(network):  # of the thread that calls it
    descriptor = os.open(network, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
        sys.exit(f"stream.py: setns to {network}: {os.strerror(ctypes.get_errno())}")
    os.close(descriptor)


def serve():
    connection, _ = listener.accept()
    connection.settimeout(5)
    left = count
    try:
        while left > 0:
            got = len(connection.recv(1 << 20))
            if got == 0:
                return
            left -= got
        connection.sendall(b"!")
    except OSError:
        pass


enter(network_to)
listener = socket.create_server((address, 0))
listener.settimeout(10)
thread = threading.Thread(target=serve, daemon=True)
thread.start()
enter(network_from)
began = time.monotonic()
try:
    sender = socket.create_connection(listener.getsockname(), timeout=5)
    sender.sendall(bytes(count))
    answer = sender.recv(1)
    print(f"{time.monotonic() - began:.4f}" if answer else "never")
except OSError:
    print("never")
