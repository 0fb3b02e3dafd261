/** Templates of what lanes or warps do together: barriers, fences, exchange between lanes, matrices. */

export const BARRIERS = `
bar.sync 0;
bar.sync $n;
bar.sync $n,64;
bar.arrive $n,64;
barrier<|.cta>.sync<|.aligned> $n;
barrier.sync $n,64;
barrier.arrive $n,96;
bar.red.popc.u32 $r,$n,<|!>$p;
bar.red.<and|or>.pred $p,$n,<|!>$p;
barrier.red.<and|or>.pred $p,$n,64,$p;
bar.warp.sync <0xffffffff|0xff|$r>;
membar.<cta|gl|sys>;
fence.<acq_rel|sc>.<cta|gpu|sys|cluster>;
fence.proxy.<alias|async>;
bar.sync $r;
bar.sync $r,$r;
bar.arrive $r,$r;
barrier.cluster.arrive<|.release|.relaxed><|.aligned>;
barrier.cluster.wait<|.acquire><|.aligned>;
shfl.sync.<up|down|bfly|idx>.b32 $r|$p,$r,$i,<31|0|$r>,<-1|$r>;
shfl.sync.<up|down|bfly|idx>.b32 $r,$r,$i,<31|0|$r>,<-1|$r>;
vote.sync.<any|all|uni>.pred $p,<|!>$p,<-1|$r>;
vote.sync.ballot.b32 $r,<|!>$p,<-1|$r>;
match.any.sync.b<32 $r,$r|64 $r,$d>,<-1|$r>;
match.all.sync.b<32 $r|$p,$r|64 $r|$p,$d>,<-1|$r>;
redux.sync.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32|min.u32|max.s32> $r,$r,<-1|$r>;
activemask.b32 $r;
elect.sync $r|$p,-1;
nanosleep.u32 $i;
pmevent 1;
mbarrier.init.shared.b64 [$s],<1|32|$r>;
mbarrier.arrive.shared.b64 $d,[$s];
mbarrier.arrive.noComplete.shared.b64 $d,[$s],3;
mbarrier.test_wait.shared.b64 $p,[$s],$d;
mbarrier.try_wait.shared.b64 $p,[$s],$d;
mbarrier.inval.shared.b64 [$s];
griddepcontrol.<wait|launch_dependents>;
`;

/** Barriers whose number or count is in a register: one instruction each, or several words that are one. */
export const BARRIER_REGISTERS = `
bar.sync $r,<$r|$r|64>;
bar.sync $n,$r;
barrier.sync $r,$r;
bar.arrive $r,<$r|$r|64>;
bar.arrive $n,$r;
bar.red.popc.u32 $r,$r,<$r|$r|64>,<|!>$p;
bar.red.popc.u32 $r,$n,$r,<|!>$p;
bar.red.<and|or>.pred $p,$r,<$r|$r|64>,<|!>$p;
bar.red.<and|or>.pred $p,$n,$r,<|!>$p;
barrier.red.<popc.u32 $r|and.pred $p|or.pred $p>,$r,$r,<|!>$p;
add.s32 $r,$r,$i;
xor.b32 $r,$r,$r;
setp.<eq|lt>.s32 $p,$r,$i;
mul.lo.s32 $r,$r,$i;
`;

/** Lanes of a mask that is in a register, and orders of reductions without a result. */
export const MASKS = `
match.all.sync.b32 $r|$p,$r,$r;
match.all.sync.b64 $r|$p,$d,$r;
match.any.sync.b<32 $r,$r|64 $r,$d>,$r;
redux.sync.<add.u32|add.s32|min.s32|max.u32|and.b32|or.b32|xor.b32|min.u32|max.s32> $r,$r,$r;
shfl.sync.<up|down|bfly|idx>.b32 $r|$p,$r,$i,<31|0|$r>,$r;
vote.sync.<any|all|uni>.pred $p,<|!>$p,$r;
vote.sync.ballot.b32 $r,<|!>$p,$r;
red.release.<cta|gpu|sys|cluster>.global.add.<f32 [$a$o],$f|f64 [$a$o8],$g|u64 [$a$o8],$d>;
red.release.<cta|gpu|sys|cluster>.global.<add.u32|min.u32|max.s32|and.b32|xor.b32|inc.u32> [$a$o],$r;
add.s32 $r,$r,$i;
xor.b32 $r,$r,$r;
setp.<eq|lt>.s32 $p,$r,$i;
`;

/** Matrix instructions, textures and the like are among the kernels of one instruction; here they meet other instructions. */
export const MATRICES = `
ldmatrix.sync.aligned.m8n8.<x1|x1.trans>.shared.b16 {$r},[%sb];
ldmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 {%r0,%r1,%r2,%r3},[%sb];
stmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 [%sb],{$r,$r};
movmatrix.sync.aligned.m8n8.trans.b16 $r,$r;
mma.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 {%f0,%f1,%f2,%f3},$q,{$r,$r},{%f4,%f5,%f6,%f7};
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3},$q,{$r,$r},{%f0,%f1,%f2,%f3};
mma.sync.aligned.m16n8k32.row.col.s32.<s8|u8>.<s8|u8>.s32 {%r0,%r1,%r2,%r3},$q,{$r,$r},$q;
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1},{$g},{$g},{%fd2,%fd3};
`;
