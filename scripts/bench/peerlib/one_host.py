"""Where all processes are on this host: how mpirun is started, also as root and without listening on the network; and
ports of loopback for others."""
import os
import socket

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_oob_tcp_if_include": "lo"}


def free_ports(count):
    """Nobody listens on them now."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports
