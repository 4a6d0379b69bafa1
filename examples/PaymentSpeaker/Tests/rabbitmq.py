"""Three nodes of RabbitMQ 4 behind a balancer, in a network of the test's own: the script `test` runs it in a network
namespace that nobody else uses."""
import os
import socket
import subprocess

from broker import free_port, processes, wait_until

NODES = 3
# Of Debian 13's packages.
ROOT = ("--release", "trixie", "haproxy,iproute2,procps,rabbitmq-server")

# What differs from RabbitMQ's defaults. docs/fleet.md says why.
CONFIGURATION = """
cluster_formation.peer_discovery_backend = classic_config
{peers}
cluster_partition_handling = pause_minority
mqtt.durable_queue_type = quorum
mqtt.max_session_expiry_interval_seconds = 604800
default_user = test
default_pass = test
anonymous_login_user = test
anonymous_login_pass = test
log.console = false
# Other programs of the machine do not matter here.
disk_free_limit.absolute = 50MB
"""

# A node that is cut off is noticed within about so many seconds.
ADVANCED = "[{kernel, [{net_ticktime, 10}]}].\n"

BALANCER = """
defaults
    mode tcp
    retries 2
    option redispatch
    timeout connect 2s
    timeout client 180s
    timeout server 180s
    # A node that ends takes its connections along at once.
    default-server check inter 1s fall 2 rise 2 on-marked-down shutdown-sessions
listen mqtt
    bind 127.0.0.1:{port}
    balance leastconn
{servers}
"""

# Called with the node's name, and the folder of all nodes.
NODE = """
echo "a test of its own" >/root/.erlang.cookie
chmod 400 /root/.erlang.cookie
cp "$2/hosts" /etc/hosts
export RABBITMQ_NODENAME=rabbit@$1 RABBITMQ_MNESIA_BASE=$2/$1/data RABBITMQ_LOG_BASE=$2/$1/log \\
    RABBITMQ_CONFIG_FILE=$2/rabbitmq.conf RABBITMQ_ADVANCED_CONFIG_FILE=$2/advanced.config \\
    RABBITMQ_ENABLED_PLUGINS_FILE=$2/plugins
exec /usr/lib/rabbitmq/bin/rabbitmq-server
"""


def run(*command, **options):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{' '.join(command)}: {result.stderr.strip() or result.stdout.strip()}"
    return result.stdout


def descendants(process):
    """The processes below it, and their names."""
    with open(f"/proc/{process}/task/{process}/children") as file:
        children = [int(child) for child in file.read().split()]
    for child in children:
        with open(f"/proc/{child}/comm") as file:
            yield child, file.read().strip()
        yield from descendants(child)


class Node:
    """A node. Clients reach it at 10.1.0.NUMBER, other nodes at 10.2.0.NUMBER."""

    def __init__(self, cluster, number):
        self.cluster, self.number, self.name = cluster, number, f"r{number}"
        self.address = f"10.1.0.{number}"
        os.makedirs(os.path.join(cluster.directory, self.name))
        # Its network lasts as long as this process.
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        processes.append(self.holder)
        wait_until(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a network")
        inside = ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "ip")
        run(*inside, "link", "set", "lo", "up")
        for network, prefix in (("clients", "10.1.0"), ("nodes", "10.2.0")):
            run("ip", "link", "add", f"{network}{number}", "type", "veth", "peer", "name", network,
                "netns", str(self.holder.pid))
            run("ip", "link", "set", f"{network}{number}", "master", network, "up")
            run(*inside, "address", "add", f"{prefix}.{number}/24", "dev", network)
            run(*inside, "link", "set", network, "up")
        self.process = None

    def start(self):
        with open(os.path.join(self.cluster.directory, self.name, "output"), "a") as output:
            self.process = subprocess.Popen(
                ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", self.cluster.in_root, "--bind", self.cluster.directory,
                 self.cluster.root, "bash", "-euc", NODE, "node", self.name, self.cluster.directory],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        processes.append(self.process)

    def inside(self, *command):
        """Runs a command of the node's, and returns its output."""
        pid = self.pid()
        return run("nsenter", f"--target={pid}", "--mount", "--net", "--pid", f"--root=/proc/{pid}/root",
                   f"--wd=/proc/{pid}/root", "env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   "LC_ALL=C.UTF-8", f"RABBITMQ_NODENAME=rabbit@{self.name}", "/usr/lib/rabbitmq/bin/" + command[0],
                   *command[1:])

    def pid(self):
        """The process of Erlang's machine."""
        return next(process for process, name in descendants(self.process.pid) if name == "beam.smp")

    def is_up(self):
        """Whether it takes part in the cluster, and takes clients."""
        return self.process.poll() is None and self.cluster.answers(self.address)

    def kill(self):
        """Ends all of it by SIGKILL."""
        self.process.kill()
        self.process.wait()
        wait_until(lambda: not self.cluster.answers(self.address), f"{self.name} is gone")

    def restart(self):
        """As for an upgrade: its clients and its leaders leave before it ends."""
        self.inside("rabbitmq-upgrade", "drain")
        self.inside("rabbitmqctl", "stop")
        self.process.wait()
        self.start()
        wait_until(self.is_up, f"{self.name} is back", 300)

    def cut(self):
        """Cuts it off from the other nodes. Its clients stay."""
        run("ip", "link", "set", f"nodes{self.number}", "down")

    def heal(self):
        run("ip", "link", "set", f"nodes{self.number}", "up")

    def memory(self):
        """The resident memory in kB."""
        with open(f"/proc/{self.pid()}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


class Cluster:
    """The nodes, and the balancer at `port` that all clients use."""

    def __init__(self, directory, package):
        self.directory = os.path.join(directory, "cluster")
        os.makedirs(self.directory)
        self.in_root = os.path.join(package, "scripts/in-root")
        self.root = run(os.path.join(package, "scripts/debian-root"), *ROOT).strip()
        for network in ("clients", "nodes"):
            run("ip", "link", "add", network, "type", "bridge")
            run("ip", "link", "set", network, "up")
        run("ip", "address", "add", "10.1.0.254/24", "dev", "clients")
        numbers = range(1, NODES + 1)
        self.write("hosts", "127.0.0.1 localhost\n" + "".join(f"10.2.0.{number} r{number}\n" for number in numbers))
        self.write("plugins", "[rabbitmq_mqtt].\n")
        self.write("rabbitmq.conf", CONFIGURATION.format(peers="\n".join(
            f"cluster_formation.classic_config.nodes.{number} = rabbit@r{number}" for number in numbers)))
        self.write("advanced.config", ADVANCED)
        self.port = free_port()
        self.write("haproxy.cfg", BALANCER.format(port=self.port, servers="\n".join(
            f"    server r{number} 10.1.0.{number}:1883" for number in numbers)))
        self.nodes = [Node(self, number) for number in numbers]
        for node in self.nodes:
            node.start()
        wait_until(lambda: all(node.is_up() for node in self.nodes), "the nodes are up", 300)
        # By default RabbitMQ 4 drops a message that was delivered 21 times without an acknowledgement.
        self.nodes[0].inside(
            "rabbitmqctl", "set_policy", "sessions", "^mqtt-subscription-", '{"delivery-limit":-1}', "--apply-to", "queues")
        with open(os.path.join(self.directory, "haproxy.log"), "w") as log:
            self.balancer = subprocess.Popen(
                [self.in_root, "--bind", self.directory, self.root, "haproxy", "-f",
                 os.path.join(self.directory, "haproxy.cfg")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        processes.append(self.balancer)
        wait_until(lambda: self.answers("127.0.0.1", self.port), "the balancer listens")

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w") as file:
            file.write(text)

    @staticmethod
    def answers(address, port=1883):
        with socket.socket() as probe:
            probe.settimeout(2)
            return probe.connect_ex((address, port)) == 0

    def memory(self):
        """The resident memory of all nodes in kB."""
        return sum(node.memory() for node in self.nodes)

    def close(self):
        for node in self.nodes:
            node.process.kill()
            node.holder.kill()
        self.balancer.kill()
