import type { FilterArchitecture } from "../seccomp/calls.ts";

/** The port inside, on its own loopback, where the way out begins. */
export const RELAY_PORT = 3128;
/** The socket inside that leads to the proxy of the session. */
export const PROXY_SOCKET = "/run/agent-proxy";

/** The descriptor from which a first program reads a command that it was not given. */
const COMMAND_AT = 5;

/**
 * The program that runs first inside: it listens, leaves a relay behind that passes every connection on to the proxy's
 * socket, bounds the number of processes, and becomes the command. Nobody can be too early: the port is open before the
 * command begins. It loads no module, which makes it quick; the numbers are those of Linux. What the proxy said before it
 * closed still arrives: what the client goes on to send is read and dropped, since closing over unread bytes resets.
 *
 * Arguments: socket, port, processes (0 for no bound), number of the call `prlimit64`, command. Without a command it says
 * with a zero byte that it is ready, and reads the command: words, each with a zero byte behind it.
 */
export const PERL_FIRST = String.raw`
my($to,$port,$most,$call,@run)=@ARGV;$SIG{TERM}="DEFAULT";
my $told;unless(@run){open $told,"<&=${COMMAND_AT}"or die"sandbox: no command: $!\n"}
my($l,$c,$u);socket($l,2,1,0)&&bind($l,pack("Sna4x8",2,$port,"\x7f\0\0\1"))&&listen($l,128)or die"sandbox: no relay: $!\n";
if(!fork){exit if fork;close $told if $told;setpgrp(0,0);open STDIN,"</dev/null";open STDOUT,">/dev/null";open STDERR,">/dev/null";
$SIG{PIPE}="IGNORE";$0="sandbox-relay";my(%f,%p,%b,%e,%s);
sub gone{for my $d($_[0],$p{$_[0]}){next unless defined $d&&$f{$d};close $f{$d};delete $f{$d};delete $b{$d};delete $e{$d};delete $s{$d}}}
while(1){my($r,$w)=("","");vec($r,fileno $l,1)=1;
for(keys %f){vec($r,$_,1)=1 if !$e{$_}&&length $b{$p{$_}}<262144;vec($w,$_,1)=1 if length $b{$_}}
next if select($r,$w,undef,undef)<0;
for my $d(keys %f){next unless $f{$d};my $q=$p{$d};
if(vec($w,$d,1)){my $n=syswrite $f{$d},$b{$d};if(defined $n){substr($b{$d},0,$n)="";shutdown $f{$d},1 if $e{$q}&&!length $b{$d}}elsif($!!=11){if(!$s{$d}){gone($d);next}$s{$d}=2;$b{$d}=""}}
if(vec($r,$d,1)){my $n=sysread $f{$d},my $t,65536;
if($n){$b{$q}.=$t if($s{$q}||0)<2}elsif(defined $n||$!!=11&&$s{$d}){$e{$d}=1;if(!defined $n){$s{$d}=2;$b{$d}=""}shutdown $f{$q},1 unless length $b{$q}}elsif($!!=11){gone($d);next}}
gone($d)if $e{$d}&&$e{$q}&&!length $b{$d}&&!length $b{$q}}
if(vec($r,fileno $l,1)&&accept($c,$l)){if(socket($u,1,1,0)&&connect($u,pack("Sa108",1,$to))){
my($i,$o)=(fileno $c,fileno $u);fcntl($_,4,2048)for$c,$u;@f{$i,$o}=($c,$u);@p{$i,$o}=($o,$i);@b{$i,$o}=("","");delete@e{$i,$o};delete $s{$i};$s{$o}=1}undef $c;undef $u}}}
wait;if($most){my $b=pack("QQ",$most,$most);syscall($call+0,0,6,$b,0)}
unless(@run){syswrite STDOUT,"\0";my $t="";1 while sysread $told,$t,65536,length $t;close $told;exit unless $t=~s/\0\z//;@run=split/\0/,$t,-1}
exec{$run[0]}@run or do{print STDERR "$run[0]: $!\n";exit 127}
`.trim();

/** The same, where there is no Perl. */
export const PYTHON_FIRST = String.raw`
import os,resource,selectors,signal,socket,sys
to,port,most,_,*run=sys.argv[1:]
signal.signal(signal.SIGTERM,signal.SIG_DFL)
l=socket.socket();l.bind(("127.0.0.1",int(port)));l.listen(128)
def pump(a,b):
 import threading
 def one(x,y):
  try:
   while True:
    d=x.recv(65536)
    if not d:break
    try:
     if y:y.sendall(d)
    except OSError:
     if y is a:break
     y=None
  except OSError:pass
  try:y and y.shutdown(socket.SHUT_WR)
  except OSError:pass
 t=[threading.Thread(target=one,args=p) for p in((a,b),(b,a))]
 for x in t:x.start()
 for x in t:x.join()
 a.close();b.close()
p=os.fork()
if p==0:
 if os.fork():os._exit(0)
 if not run:os.close(${COMMAND_AT})
 os.setpgrp();n=os.open("/dev/null",os.O_RDWR)
 for i in 0,1,2:os.dup2(n,i)
 import threading
 while True:
  c,_=l.accept();u=socket.socket(socket.AF_UNIX)
  try:u.connect(to)
  except OSError:c.close();continue
  threading.Thread(target=pump,args=(c,u),daemon=True).start()
os.waitpid(p,0);l.close()
if int(most):resource.setrlimit(resource.RLIMIT_NPROC,(int(most),int(most)))
if not run:
 os.write(1,b"\0");t=b""
 while True:
  d=os.read(${COMMAND_AT},65536)
  if not d:break
  t+=d
 os.close(${COMMAND_AT})
 if not t:sys.exit()
 run=[os.fsdecode(w) for w in t.split(b"\0")[:-1]]
signal.signal(signal.SIGPIPE,signal.SIG_DFL)
try:os.execvp(run[0],run)
except OSError as e:sys.stderr.write("%s: %s\n"%(run[0],e.strerror));os._exit(127)
`.trim();

/** The same, where there is neither: the Node that runs this host. Shells name the bound `-u` or `-p`. */
export const NODE_FIRST = String.raw`
const[to,port,most,,...run]=process.argv.slice(1);
const{spawn}=require("node:child_process");
const relay="const n=require('node:net');n.createServer({allowHalfOpen:true},c=>{const u=n.connect({path:process.argv[1],allowHalfOpen:true});const j=(a,b)=>{a.on('error',()=>{b.unpipe(a);b.resume();b.end()});a.pipe(b)};j(c,u);j(u,c)}).listen(+process.argv[2],'127.0.0.1',()=>console.log(1))";
const child=spawn(process.execPath,["-e",relay,to,port],{detached:true,stdio:["ignore","pipe","ignore"]});
child.stdout.once("data",()=>process.execve("/bin/sh",["sh","-c",'test "$1" = 0 || ulimit -u "$1" 2>/dev/null || ulimit -p "$1" 2>/dev/null; shift; exec "$@"',"sh",most,...run],process.env));
`.trim();

/** The programs that can run first, the quickest first, with the arguments before theirs. */
export const FIRST_PROGRAMS = {
  perl: ["-e", PERL_FIRST],
  python3: ["-I", "-S", "-c", PYTHON_FIRST],
  node: ["--no-warnings", "-e", NODE_FIRST, "--"],
} as const;

/** Those that can wait for their command. */
export const CAN_WAIT: ReadonlySet<string> = new Set(["perl", "python3"]);

/** The number of the call that sets a bound. */
export const PRLIMIT: Readonly<Record<FilterArchitecture, number>> = { x64: 302, arm64: 261 };
