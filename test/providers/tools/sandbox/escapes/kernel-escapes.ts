import {
  type CallNumbers,
  JUDGED_CALLS,
  REFUSED_CALLS,
} from "../../../../../src/providers/tools/sandbox/seccomp/calls.ts";
import { type Escape, escapes, fromInside, type Rows } from "./escape.ts";

const numberOf = (numbers: CallNumbers): number | undefined =>
  process.arch === "x64" || process.arch === "arm64" ? numbers[process.arch] : undefined;

/** Says `through` when a call does anything but fail for want of permission, or as if it did not exist. */
const call = (number: number, args: string): string =>
  `perl -e 'my $r=syscall(${number},${args});my $e=$!+0;print(($r==-1&&($e==1||$e==38||$e==97))?"refused $e":"through $r $e")'`;

/** Outside, as root, these would harm the machine even with empty arguments. */
const HARMFUL = new Set([
  "vhangup",
  "sethostname",
  "setdomainname",
  "acct",
  "kexec_load",
  "reboot",
  "swapon",
  "swapoff",
]);

const refused = Object.entries<CallNumbers>(REFUSED_CALLS).flatMap(([name, numbers]): readonly Escape[] => {
  const number = numberOf(numbers);
  if (number === undefined) return [];
  const rows: Rows = [[`calls ${name}`, call(number, "0,0,0,0,0")]];
  // The kernel refuses or lacks some of them for everybody; that the filter stops them is seen by the others.
  return escapes("call", rows, HARMFUL.has(name) ? "it would harm this machine" : "not every kernel has it");
});

const judged = (name: keyof typeof JUDGED_CALLS, args: string): string =>
  call(numberOf(JUDGED_CALLS[name]) ?? 1_000_000, args);

const NAMESPACES: Rows = [
  ["NEWNS", 0x0002_0000],
  ["NEWCGROUP", 0x0200_0000],
  ["NEWUTS", 0x0400_0000],
  ["NEWIPC", 0x0800_0000],
  ["NEWUSER", 0x1000_0000],
  ["NEWPID", 0x2000_0000],
  ["NEWNET", 0x4000_0000],
].map(([name, flag]) => [
  `clones with ${name}`,
  judged("clone", `${flag},0,0,0,0`).replace("my $e=$!+0;", "my $e=$!+0;exit if $r==0;"),
]);

const SET_ID: Rows = [
  ["leaves a setuid file by chmod", 'cp /bin/true "$WS/x$N"; chmod 4755 "$WS/x$N"'],
  ["leaves a setgid file by chmod", 'cp /bin/true "$WS/x$N"; chmod 2755 "$WS/x$N"'],
  ["leaves a setuid file by install", 'install -m 4755 /bin/true "$WS/x$N"'],
  [
    "leaves a setuid file by tar",
    'cd "$WS"; cp /bin/true t$N; tar --mode=4755 -cf $N.tar t$N; tar -xpf $N.tar --transform s/t/x/',
  ],
  [
    "leaves a setuid file by fchmod",
    `cp /bin/true "$WS/x$N"; perl -e 'open F,"<","$ENV{WS}/x$ENV{N}";chmod 04755,*F'`,
  ],
  [
    "leaves a setuid file by open",
    `perl -e 'umask 0;my $p="$ENV{WS}/x$ENV{N}";syscall(${numberOf(JUDGED_CALLS.openat) ?? 0},-100,$p,65,04755)'`,
  ],
  [
    "leaves a setuid file by mknod",
    `perl -e 'umask 0;my $p="$ENV{WS}/x$ENV{N}";syscall(${numberOf(JUDGED_CALLS.mknodat) ?? 0},-100,$p,0104755,0)'`,
  ],
];

const MACHINE: Rows = [
  ["makes a device of the disk", 'mknod "$WS/disk$N" b 254 0 && echo through'],
  ["reads the disk", "head -c 16 /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | grep -q . && echo through"],
  [
    "reads the kernel's memory",
    "head -c 1 /dev/mem /dev/kmem /proc/kcore 2>/dev/null | grep -q . && echo through",
  ],
  ["mounts over a folder", 'mkdir -p "$WS/mnt"; mount -t tmpfs none "$WS/mnt" && echo through'],
  ["mounts the host's root", "mount --bind / /tmp && echo through"],
  ["makes the system's folder writable", "mount -o remount,rw /usr && echo through"],
  [
    "unmounts what covers a secret",
    'umount "$WS/.env" && echo through; umount -l "$WS/.env" && echo through',
  ],
  ["unmounts what keeps git's hooks", 'umount "$WS/repo/.git/hooks" && echo through'],
  ["makes namespaces with unshare", "unshare -Ur true && echo through"],
  ["makes a mount namespace", "unshare -m true && echo through"],
  ["enters the first process's namespaces", "nsenter -t 1 -m -n true && echo through"],
  ["changes its root", 'chroot "$WS" true && echo through; chroot /proc/1/root true && echo through'],
  ["becomes root with su", "su root -c id 2>/dev/null | grep uid=0 && echo through"],
  ["becomes root with sudo", "sudo -n id | grep uid=0 && echo through"],
  ["becomes root by a setuid program", `perl -e '$<=$>=0;print "through" if $<==0'`],
  ["gains a capability", "grep -E 'Cap(Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status && echo through"],
  ["gives up the ban of new privileges", "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo through"],
  ["loads a module", "modprobe dummy && echo through; insmod /tmp/x.ko && echo through"],
  ["presses the magic key", "test -w /proc/sysrq-trigger && (: > /proc/sysrq-trigger) && echo through"],
  ["talks to the desktop's bus", "ls /run/dbus /run/user 2>/dev/null | grep -q . && echo through"],
  [
    "finds the container service's socket",
    "ls /var/run/docker.sock /run/docker.sock /run/podman /run/containerd 2>/dev/null | grep -q . && echo through",
  ],
  [
    "finds an agent for keys",
    'test -n "$SSH_AUTH_SOCK$GPG_AGENT_INFO$DBUS_SESSION_BUS_ADDRESS" && echo through',
  ],
  [
    "sees keys of the kernel",
    "grep -qv '^$' /proc/keys 2>/dev/null && grep -q -- user /proc/keys && echo through",
  ],
  ["sees the machine's processes", 'ps ax 2>/dev/null | grep -q "[v]itest" && echo through'],
  ["sees the host's name", 'test "$(hostname)" = "$HOSTS_NAME" && echo through'],
  ["preloads a library into programs of the system", "echo /tmp/x.so > /etc/ld.so.preload && echo through"],
  ["changes the root folder", "mkdir /x$N && echo through; mv /usr /usr2 && echo through"],
  [
    "reaches control groups",
    "find /sys/fs/cgroup -name cgroup.procs 2>/dev/null | grep -q . && echo through",
  ],
  ["finds the file of the filter", 'ls "$SESSIONS"/agent-sandbox-*/filter 2>/dev/null && echo through'],
  [
    "schedules a job",
    'echo "touch $OUT/$N" | at now && echo through; crontab -l > /dev/null && echo through; (echo "* * * * * x" | crontab -) && echo through',
  ],
  ["starts a service", "systemctl --user start x && echo through; systemd-run true && echo through"],
  [
    "pushes characters into a terminal",
    `perl -e 'open T,"+<","/dev/ptmx";my $c="x";print "through" if defined ioctl(T,0x5412,$c)'`,
  ],
  [
    "pushes characters with high bits set",
    `perl -e 'open T,"+<","/dev/ptmx";my $c="x";syscall(${numberOf(JUDGED_CALLS.ioctl) ?? 0},fileno T,0x100005412,$c)==0 and print "through"'`,
  ],
  [
    "pastes into the console",
    `perl -e 'open T,"+<","/dev/ptmx";my $c="\\3";print "through" if defined ioctl(T,0x541c,$c)'`,
  ],
  ["opens the terminal of the host", "echo x > /dev/tty && echo through"],
  ["calls in the form of x32", call(0x4000_0000 + 101, "0,0,0,0")],
  ["calls a number that nobody knows", call(470, "0,0,0,0")],
  ["clones by the newer call", judged("clone3", "0,0")],
  ["opens by the newer call", judged("openat2", "0,0,0,0")],
];

const PROCESSES: Rows = [
  ["ends a process outside", "kill -9 $VICTIM"],
  ["ends its group", "kill -9 -- -$VICTIM"],
  ["ends it by its name", "pkill -9 -f victim-$MARK"],
  ["ends it with perl", "perl -e 'kill 9,$ENV{VICTIM}'"],
  ["stops it", "kill -STOP $VICTIM; kill -9 $VICTIM"],
];

const SHARED: Rows = [
  ["sees the machine's shared memory", "ipcs -m | grep -q 0x00c0ffee && echo through"],
  ["sees the machine's semaphores", "ipcs -s | grep -q 0x00c0ffee && echo through"],
  ["sees files of shared memory", 'ls /dev/shm | grep -q "$MARK" && echo through'],
  ["sees message queues", "ls /dev/mqueue 2>/dev/null | grep -q . && echo through"],
];

export const kernelEscapes: readonly Escape[] = [
  ...refused,
  ...fromInside("call", [...NAMESPACES, ...MACHINE]),
  ...escapes("harm", [...SET_ID, ...PROCESSES]),
  ...fromInside("call", SHARED),
];
