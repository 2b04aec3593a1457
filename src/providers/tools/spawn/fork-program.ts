/** The numbers of the system calls that have no name in Perl, by architecture. */
const CALLS = {
  setsid: [112, 157],
  dup3: [292, 24],
  rt_sigprocmask: [14, 135],
  signalfd4: [289, 74],
} as const;

/** The arguments of the program on an architecture, as Node names it; `undefined` where its calls have other numbers. */
export function forkArguments(architecture: string): readonly string[] | undefined {
  const at = { x64: 0, arm64: 1 }[architecture];
  return at === undefined ? undefined : Object.values(CALLS).map((numbers) => String(numbers[at]));
}

/**
 * The program that starts others and waits for them. It loads no module, which keeps it small: to start a program takes the
 * longer the more memory the starter has.
 *
 * On its standard input come requests, each behind its length: parts, each with a zero byte behind it, which are an id, a
 * working directory, the number of descriptors and a path for each, the number of variables and each of them, the program
 * and its arguments. Of each it says on its standard output, behind the length, `s id pid stat` once the program has begun,
 * and `x id status` when it is over; or `f id errno` when it has not begun, and `p id errno` when it was not to blame, but
 * what was to be made ready for it. It begins with `r`, and ends without input.
 */
export const FORK_PROGRAM = String.raw`
$0="agent-fork-server";my($setsid,$dup3,$mask,$signalfd)=map{$_+0}@ARGV;my($chld,$none)=(pack("Q",1<<16),pack("Q",0));
syscall($mask,0,$chld,0,8);my $sfd=syscall($signalfd,-1,$chld,8,02000000);exit 1 if $sfd<0;open(my $ends,"<&=",$sfd);
sub say{syswrite STDOUT,pack("N/a*",$_[0])}
my(%id,$in);$in="";say("r");
sub high{my $n=fcntl($_[0],1030,64);defined $n?$n+0:undef}
sub start{my($id,$cwd,@m)=split/\0/,$_[0],-1;
my @p=splice @m,0,shift @m;my @e=splice @m,0,shift @m;pop @m;
pipe(my $r,my $w);my $h=high($w);close $w;my $c=defined $h?fork:undef;
if(!defined $c){my $n=$!+0;open(my $o,">&=",$h)if defined $h;return say("p $id $n")}
open(my $o,">&=",$h);
if(!$c){close $r;close $ends;
my $fail=sub{syswrite $o,"$_[0] ".($!+0);exit 127};
syscall($mask,2,$none,0,8);syscall($setsid);chdir $cwd or $fail->("f");
my @n;for my $i(0..$#p){open(my $f,$i==1||$i==2?">":"<",$p[$i])or $fail->("p");push @n,high($f)//$fail->("p")}
for my $i(0..$#n){syscall($dup3,$n[$i],$i,0)<0 and $fail->("p")}
%ENV=();for(@e){my($k,$v)=split/=/,$_,2;$ENV{$k}=$v}
exec{$m[0]}@m or $fail->("f")}
close $o;my $t="";for(;;){my $n=sysread $r,$t,64,length $t;last if $n?0:defined $n||$!!=4}
if($t=~/^(.) (\d+)/){waitpid $c,0;return say("$1 $id $2")}
my $s="";if(open(my $f,"<","/proc/$c/stat")){sysread $f,$s,1024}
$id{$c}=$id;say("s $id $c $s")}
for(;;){my $v="";vec($v,0,1)=1;vec($v,$sfd,1)=1;next if select($v,undef,undef,undef)<0;
if(vec($v,$sfd,1)){sysread $ends,my $i,128;while((my $c=waitpid(-1,1))>0){my $id=delete $id{$c};say("x $id $?")if defined $id}}
if(vec($v,0,1)){my $n=sysread STDIN,$in,65536,length $in;exit unless $n||!defined $n&&$!==4;
while(length $in>=4&&length $in>=4+(my $l=unpack "N",$in)){my $m=substr $in,4,$l;substr($in,0,4+$l)="";start($m)}}}
`.trim();
