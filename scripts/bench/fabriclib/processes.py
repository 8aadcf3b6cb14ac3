"""Processes that work together: started at once, awaited with a limit, and ended together."""
import contextlib
import subprocess

LIMIT_S = 600


def failure(command, status, output):
    """What is raised where a command ended with an error."""
    last = "\n".join(output.strip().splitlines()[-8:]) or "it said nothing"
    return RuntimeError(f"{' '.join(map(str, command))} ended with status {status}: {last}")


def checked(command, environment):
    """The standard output of a command."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, env=environment)
    if done.returncode != 0:
        raise failure(command, done.returncode, done.stdout + done.stderr)
    return done.stdout


@contextlib.contextmanager
def started(commands, environment):
    """Processes of these commands, which do not outlive the block."""
    with contextlib.ExitStack() as stack:
        running = []
        for command in commands:
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                           text=True, env=environment))
            stack.callback(process.kill)
            running.append(process)
        yield running
