/**
 * A small program that starts others. Starting one costs what its starter's memory costs to copy; this one has little.
 * Says `ready`, where the system can tell of the end of each child. It ends with its input, and opens nothing that is left
 * open in a child.
 *
 * Requests are frames: a length, then fields with a NUL between them: number, working directory, how many files, the files
 * that become the descriptors from 0 on (`r` or `w` before the path), how many words, the words, the variables. Answers are
 * lines: `started NUMBER PID STAT`, `failed NUMBER ERRNO`, `refused NUMBER` when nothing was begun, `ended PID STATUS`.
 */
export const FORK_PROGRAM = String.raw`
use POSIX ();
$0="agent-forks";my(%kids,@low);my $buffer="";
for(1..20){open my $h,"<","/dev/null";push @low,$h}
sub tell_host{my $t="$_[0]\n";while(length $t){my $n=syswrite STDOUT,$t;if(defined $n){substr($t,0,$n)=""}elsif(!$!==4){exit}}}
sub watch{my $fd=syscall(434,$_[0]+0,0);return if $fd<0;open my $h,"<&=",$fd or return;return $h}
exit unless watch($$);tell_host("ready");
sub begin{my($id,$cwd,$files,@rest)=split /\0/,$_[0],-1;my @names=splice @rest,0,$files;my @words=splice @rest,0,shift @rest;my @open;
for(@names){my $mode=substr($_,0,1)eq"w"?1:0;sysopen(my $h,substr($_,1),$mode)or return tell_host("refused $id");push @open,$h}
my($from,$to);pipe($from,$to)or return tell_host("refused $id");
my $pid=fork;return tell_host("failed $id ".($!+0))unless defined $pid;
if(!$pid){$SIG{FPE}="DEFAULT";
my $fail=sub{syswrite $to,pack("N",$!+0);POSIX::_exit(127)};
POSIX::setsid();chdir $cwd or $fail->();
for(0..$#open){defined POSIX::dup2(fileno $open[$_],$_)or $fail->()}
%ENV=map{split /=/,$_,2}@rest;{no warnings;exec{$words[0]}@words}$fail->()}
close $to;my $errno="";1 until defined sysread($from,$errno,4)||!$!==4;
if(length $errno){waitpid $pid,0;return tell_host("failed $id ".unpack("N",$errno))}
my $watch=watch($pid);
if(!$watch){my $e=$!+0;kill KILL=>-$pid;waitpid $pid,0;return tell_host("failed $id $e")}
$kids{fileno $watch}=[$watch,$pid];
my $stat="";if(open my $h,"<","/proc/$pid/stat"){local $/;$stat=<$h>}$stat=~tr/\n/ /;
tell_host("started $id $pid $stat")}
while(1){my $r="";vec($r,$_,1)=1 for 0,keys %kids;
next if select($r,undef,undef,undef)<0;
for(grep{vec($r,$_,1)}keys %kids){my $pid=$kids{$_}[1];if(waitpid($pid,1)==$pid){my $status=$?;delete $kids{$_};tell_host("ended $pid $status")}}
next unless vec($r,0,1);
my $n=sysread STDIN,$buffer,65536,length $buffer;
if(!defined $n){next if $!==4;exit}
exit if !$n;
while(length $buffer>=4){my $size=unpack "N",$buffer;last if length $buffer<4+$size;
my $frame=substr $buffer,4,$size;substr($buffer,0,4+$size)="";begin($frame)}}
`.trim();
