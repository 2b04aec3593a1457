import { type Escape, escapes, fromInside, type Rows } from "./escape.ts";

const tcp = (host: string, port: string): string => `exec 3<>/dev/tcp/${host}/${port} && echo "$N" >&3`;
/** Perl, with an address in the form of the system. */
const perl = (family: number, type: number, address: string): string =>
  `perl -e 'socket(my $s,${family},${type},0);connect($s,${address})or exit;syswrite $s,"$ENV{N}\\n"'`;
const inet = (address: string, port: string): string =>
  `pack("Sna4x8",2,$ENV{${port}},pack("C4",${address}))`;

const DIRECT: Rows = [
  ["reaches a port of this machine", tcp("127.0.0.1", "$TCP")],
  ["reaches it by its name", tcp("localhost", "$TCP")],
  ["reaches it by another loopback address", tcp("127.1.2.3", "$TCP")],
  ["reaches it as 0.0.0.0", tcp("0.0.0.0", "$TCP")],
  ["reaches it with perl", perl(2, 1, inet("127,0,0,1", "TCP"))],
  ["reaches it by IPv6", perl(10, 1, 'pack("SnNa16N",10,$ENV{TCP6},0,("\\0"x15)."\\1",0)')],
  [
    "reaches it by a mapped address",
    perl(10, 1, 'pack("SnNa16N",10,$ENV{TCP},0,("\\0"x10)."\\xff\\xff\\x7f\\0\\0\\1",0)'),
  ],
  ["reaches it by UDP", `perl -e 'socket(my $s,2,2,0);send($s,"$ENV{N}\\n",0,${inet("127,0,0,1", "UDP")})'`],
  ["reaches a socket outside", perl(1, 1, 'pack("Sa108",1,$ENV{SOCKET})')],
  [
    "reaches a socket through a link",
    `ln -s "$SOCKET" "$WS/s$N"; cd "$WS"; ${perl(1, 1, 'pack("Sa108",1,"s$ENV{N}")')}`,
  ],
  ["reaches a socket in the workspace", perl(1, 1, 'pack("Sa108",1,"$ENV{WS}/door")')],
  ["reaches an abstract socket", perl(1, 1, 'pack("Sa*",1,"\\0$ENV{ABSTRACT}")')],
  ["reaches a socket with curl", 'curl -s --unix-socket "$SOCKET" "http://x/$N"'],
  ["writes into a pipe of the workspace", '(echo "$N" > "$WS/pipe") & sleep 0.2; kill $! 2>/dev/null; true'],
];

const around = (...curl: readonly string[]): string => `curl -s -m 3 ${curl.join(" ")}`;
/** What the proxy is asked for; `$P` is where it listens. */
const raw = (request: string): string =>
  `printf '${request}' | perl -e 'socket(my $s,2,1,0);connect($s,pack("Sna4x8",2,3128,"\\x7f\\0\\0\\1"))or exit;local $/;print $s "";my $d=<STDIN>;$d=~s/PORT/$ENV{TCP}/g;$d=~s/NAME/$ENV{N}/g;syswrite $s,$d;select undef,undef,undef,.15;syswrite $s,"$ENV{N}\\n";alarm 1;sysread $s,my $r,400;print $r'`;
const connect = (target: string): string => raw(`CONNECT ${target} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n`);
const get = (url: string, headers = ""): string => raw(`GET ${url} HTTP/1.1\\r\\n${headers}\\r\\n`);

const PROXY: Rows = [
  ["tunnels to this machine", connect("127.0.0.1:PORT")],
  ["tunnels to it by its name", connect("localhost:PORT")],
  ["tunnels to it by a name with a dot", connect("localhost.:PORT")],
  ["tunnels to it in capitals", connect("LOCALHOST:PORT")],
  ["tunnels to a decimal address", connect("2130706433:PORT")],
  ["tunnels to a hexadecimal address", connect("0x7f000001:PORT")],
  ["tunnels to an octal address", connect("0177.0.0.1:PORT")],
  ["tunnels to a short address", connect("127.1:PORT")],
  ["tunnels to 0", connect("0:PORT")],
  ["tunnels to IPv6", connect("[::1]:PORT")],
  ["tunnels to a mapped address", connect("[::ffff:127.0.0.1]:PORT")],
  ["tunnels to a mapped address in hexadecimal", connect("[::ffff:7f00:1]:PORT")],
  ["tunnels to a translated address", connect("[64:ff9b::7f00:1]:PORT")],
  ["tunnels to an address with full-width digits", connect("１２７.0.0.1:PORT")],
  ["tunnels to a listed name that leads here", connect("rebound.test:PORT")],
  ["tunnels to a name below a star that leads here", connect("deep.starred.test:PORT")],
  ["tunnels to a cloud's metadata", connect("169.254.169.254:80")],
  ["tunnels with a user before the host", connect("listed.test@127.0.0.1:PORT")],
  ["tunnels with a path behind the host", connect("127.0.0.1:PORT/listed.test")],
  ["tunnels with a fragment", connect("127.0.0.1:PORT#.listed.test")],
  ["tunnels with a NUL in the name", connect("127.0.0.1\\\\0.listed.test:PORT")],
  ["tunnels with a blank in the name", connect("127.0.0.1%%20.listed.test:PORT")],
  ["tunnels to a name that only ends like a listed one", connect("evillisted.test:PORT")],
  ["fetches from this machine", get("http://127.0.0.1:PORT/NAME", "Host: 127.0.0.1\\r\\n")],
  ["fetches with another host in its header", get("http://127.0.0.1:PORT/NAME", "Host: listed.test\\r\\n")],
  ["fetches an address of this machine from a listed header", get("/NAME", "Host: 127.0.0.1:PORT\\r\\n")],
  [
    "fetches with a user before the host",
    get("http://listed.test@127.0.0.1:PORT/NAME", "Host: listed.test\\r\\n"),
  ],
  ["fetches with a backslash", get("http://127.0.0.1:PORT\\\\@listed.test/NAME", "Host: listed.test\\r\\n")],
  ["fetches a file", get("file:///etc/passwd", "Host: listed.test\\r\\n")],
  ["fetches by ftp", get("ftp://127.0.0.1:PORT/NAME", "Host: listed.test\\r\\n")],
  [
    "smuggles a second request behind a length",
    raw(
      "POST http://listed.test/ HTTP/1.1\\r\\nHost: listed.test\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://127.0.0.1:PORT/NAME HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n",
    ),
  ],
  [
    "pipelines a request to this machine",
    raw(
      "GET http://listed.test/ HTTP/1.1\\r\\nHost: listed.test\\r\\n\\r\\nGET http://127.0.0.1:PORT/NAME HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n",
    ),
  ],
  ["splits a header", get("http://listed.test/%%0d%%0aHost:127.0.0.1:PORT/NAME", "Host: listed.test\\r\\n")],
  [
    "asks for an upgrade",
    get("http://127.0.0.1:PORT/NAME", "Host: listed.test\\r\\nConnection: upgrade\\r\\nUpgrade: h2c\\r\\n"),
  ],
  [
    "names the proxy's socket of another session",
    `perl -e 'socket(my $s,1,1,0);connect($s,pack("Sa108",1,$ENV{OTHER}))and print "through"'`,
  ],
];

const VARIED: Rows = [
  ["goes around the proxy", around("--noproxy '*'", '"http://127.0.0.1:$TCP/$N"')],
  ["goes around the proxy to this machine's own address", around("--noproxy '*'", '"http://$OWN:$TCP/$N"')],
  [
    "resolves a name by itself",
    `perl -e 'socket(my $s,2,2,0);send($s,"$ENV{N}\\n",0,${inet("127,0,0,53", "UDP")});send($s,"$ENV{N}\\n",0,${inet("127,0,0,1", "UDP")})'`,
  ],
  [
    "opens a socket of the virtual machine",
    perl(40, 1, 'pack("SSLLC4",40,0,9,2,0,0,0,0)') + "; perl -e 'print \"through\" if socket(my $s,40,1,0)'",
  ],
  ["opens a raw socket", `perl -e 'print "through" if socket(my $s,2,3,1)'`],
  ["opens a packet socket", `perl -e 'print "through" if socket(my $s,17,3,0)'`],
  ["opens a socket of the kernel's cryptography", `perl -e 'print "through" if socket(my $s,38,5,0)'`],
  ["opens a netlink socket of netfilter", `perl -e 'print "through" if socket(my $s,16,3,12)'`],
  ["opens a bluetooth socket", `perl -e 'print "through" if socket(my $s,31,3,0)'`],
];

export const networkEscapes: readonly Escape[] = [
  ...escapes("reach", DIRECT),
  ...fromInside("reach", PROXY),
  ...fromInside("reach", VARIED),
];
