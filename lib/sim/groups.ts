/**
 * Which lanes run together.
 *
 * Every thread has its own program counter. Lanes that go on together are a group; a warp has one running group and a
 * list of others that could run. A branch whose lanes disagree splits the group; groups come together again only where
 * the code says so:
 *
 * - `BSSY B, L` notes in barrier B of each participating lane who participates; `BSYNC B` waits until all of them that
 *   have not exited (EXIT) or left (BREAK) wait at a BSYNC of B, then they go on as one group. The barrier registers
 *   are per thread, because both sides of a branch use the same numbers for regions inside them.
 * - `WARPSYNC mask` waits for the lanes of the mask at a WARPSYNC of the same mask. `WARPSYNC.EXCLUSIVE` in addition keeps
 *   them apart from lanes with another mask that wait at the same place (ptxas puts it before REDUX on sm_80 to 89).
 * - `WARPSYNC.COLLECTIVE mask, L` waits for the lanes of the mask at any WARPSYNC.COLLECTIVE of the same mask, wherever it
 *   stands; then all of them run the code after one of these up to ENDCOLLECTIVE, from where each goes on at its own L.
 *   ptxas's code means this: the code after is the same at all places, down to the register numbers (test/oracle/gather.test.ts).
 *   Which place is chosen makes no difference to such code; here it is the first in program order.
 * - CTA and cluster barriers let lanes of a warp that wait at the same place go on together.
 *
 * A spin loop inside a convergence region waits for lanes that wait for the loop's end at the BSYNC. ptxas puts YIELD
 * into such loops, and the lock algorithms that run on GPUs need it: lanes at a BSYNC do not wait for ever for lanes that
 * only yield. Here they are let go after PATIENCE yields; the two parts are regions of their own from then on. ptxas also puts YIELD into loops that
 * do work, and at the head of functions that call themselves: a YIELD since which a register has changed counts little.
 *
 * A lane may also wait by WARPSYNC for one that waits for it at a BSYNC: `@p shfl.sync` and `@!p shfl.sync` one after the
 * other meet by the PTX ISA, and ptxas puts a region around each, at every level. So a convergence barrier must give way (inferred from
 * that, not measured): when no lane of the warp can run, those at a BSYNC that others want at a WARPSYNC go on without their region.
 *
 * Forward progress: a group gives up its turn at a jump after its time slice, at YIELD, and when it waits; the others are
 * served in turn. A warp none of whose lanes can run waits for others; when nothing in the whole grid can run, that is a
 * deadlock and is reported.
 */
import { registersOf } from "./spinning.js";
import { Wait, type Warp } from "./state.js";

export function popcount(x: number): number {
  let v = x - ((x >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Index of the lowest set bit; 32 for 0. */
export function lowest(mask: number): number {
  return mask === 0 ? 32 : 31 - Math.clz32(mask & -mask);
}

/** Adds lanes to the groups that could run; those at the same place join. */
export function enqueue(warp: Warp, pc: number, mask: number): void {
  for (const g of warp.ready) {
    if (g.pc === pc) {
      g.mask |= mask;
      return;
    }
  }
  warp.ready.push({ pc, mask });
}

/** All lanes of the warp wait for the same at the same place: the common case of a barrier of the CTA, without looking at every lane. */
export function suspendAll(warp: Warp, kind: number, next: number, on: number): void {
  warp.allKind = kind;
  warp.allOn = on;
  warp.allPc = next;
  warp.allWait = true;
  warp.active = 0;
}

/** Says of every lane on its own for what it waits. */
export function waitEach(warp: Warp): void {
  if (!warp.allWait) return;
  warp.allWait = false;
  warp.waitKind.fill(warp.allKind);
  warp.waitOn.fill(warp.allOn);
  warp.waitPc.fill(warp.allPc);
}

/** The running group waits. Lanes of it outside `mask` go on at `next` on their own. */
export function suspend(warp: Warp, mask: number, kind: number, next: number, on: (lane: number) => number): void {
  const rest = warp.active & ~mask;
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    warp.waitKind[l] = kind;
    warp.waitOn[l] = on(l);
    warp.waitPc[l] = next;
  }
  warp.active = 0;
  if (rest !== 0) enqueue(warp, next, rest);
}

/** Lanes stop waiting and could run from where they wait. */
export function resume(warp: Warp, mask: number): void {
  if (warp.allWait && mask === warp.live) {
    // Nothing else of the warp could run: it is as if its turn had come already.
    warp.allWait = false;
    warp.pc = warp.allPc;
    warp.active = mask;
    warp.yielded &= ~mask;
    return;
  }
  waitEach(warp);
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    warp.waitKind[l] = Wait.None;
    enqueue(warp, warp.waitPc[l]!, 1 << l);
  }
}

/** Lanes that wait for `kind` on `on`. */
export function waiting(warp: Warp, kind: number, on: number): number {
  if (warp.allWait) return warp.allKind === kind && warp.allOn === on ? warp.live : 0;
  let mask = 0;
  for (let l = 0; l < 32; l++) if (warp.waitKind[l] === kind && warp.waitOn[l] === on) mask |= 1 << l;
  return mask & warp.live;
}

/** Lanes whose wait has ended go on at one place as a group of their own: other lanes there have other masks. */
function release(warp: Warp, pc: number, mask: number): void {
  for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) warp.waitKind[l] = Wait.None;
  warp.ready.push({ pc, mask });
}

/** All lanes of a mask have come: those at one place go on together, and all of them where they were gathered. */
function releaseMask(warp: Warp, kind: number, there: number): void {
  const gathered = kind === Wait.Collective;
  let left = there;
  while (left !== 0) {
    let pc = warp.waitPc[lowest(left)]!;
    if (gathered) for (let l = 0; l < 32; l++) if ((left >>> l) & 1) pc = Math.min(pc, warp.waitPc[l]!);
    let same = gathered ? left : 0;
    if (!gathered) for (let l = 0; l < 32; l++) if ((left >>> l) & 1 && warp.waitPc[l] === pc) same |= 1 << l;
    release(warp, pc, same);
    left &= ~same;
  }
}

/** The lanes that lane `l` waits for at a convergence barrier or WARPSYNC, itself included. */
export function partners(warp: Warp, l: number): number {
  const on = warp.waitOn[l]!;
  return warp.waitKind[l] === Wait.Convergence ? warp.B[on * 32 + l]! : on;
}

/**
 * Lanes that have come to where lane `l` waits. At a convergence barrier those of its region: a function that is called again by some
 * of them waits at the same barrier register with a region of its own.
 */
function arrived(warp: Warp, l: number): number {
  const kind = warp.waitKind[l]!;
  const on = warp.waitOn[l]!;
  const there = waiting(warp, kind, on);
  if (kind !== Wait.Convergence) return there;
  let mutual = 0;
  for (let k = 0; k < 32; k++) if ((there >>> k) & 1 && (warp.B[on * 32 + k]! >>> l) & 1) mutual |= 1 << k;
  return mutual;
}

/** Lets go on whoever no longer has to wait inside the warp: after an arrival, an exit or a break. */
export function settle(warp: Warp): void {
  let done = 0;
  for (let l = 0; l < 32; l++) {
    const kind = warp.waitKind[l]!;
    if (((warp.live >>> l) & 1) === 0) continue;
    if (kind !== Wait.Convergence && !isWarpSync(kind)) continue;
    const there = arrived(warp, l);
    if ((partners(warp, l) & warp.live & ~there) !== 0) continue;
    warp.machine.watch?.meet(warp, there);
    if (kind === Wait.Convergence || kind === Wait.WarpSync) done |= 1 << l;
    else releaseMask(warp, kind, there);
  }
  if (done !== 0) resume(warp, done);
}

/** YIELDs of a loop after which nobody waits for its lanes, and the part of one that counts where a register has changed since the one before. */
const PATIENCE = 16;
const AT_WORK = 1 / 1024;

/** After a YIELD: lanes at a convergence barrier whose missing partners all yield go on without them, in the end. */
export function releaseFromYielders(warp: Warp): void {
  let done = 0;
  for (let l = 0; l < 32; l++) {
    if (warp.waitKind[l] !== Wait.Convergence || ((warp.live >>> l) & 1) === 0) continue;
    const missing = partners(warp, l) & warp.live & ~arrived(warp, l);
    if ((missing & ~warp.yielded) === 0) done |= 1 << l;
  }
  if (done === 0) return;
  const now = registersOf(warp);
  warp.patience += now === warp.yieldedWith ? 1 : AT_WORK;
  warp.yieldedWith = now;
  if (warp.patience < PATIENCE) return;
  warp.patience = 0;
  leave(warp, done);
}

/**
 * When no lane of the warp can run: lanes at a convergence barrier for which others wait by WARPSYNC go on without their
 * region; where there are none, lanes that wait for each other in a ring. True if there were any.
 */
export function releaseWanted(warp: Warp): boolean {
  // All wait for the same: nobody for others.
  if (warp.allWait) return false;
  let wanted = 0;
  for (let l = 0; l < 32; l++) {
    if (((warp.live >>> l) & 1) === 0 || !isWarpSync(warp.waitKind[l]!)) continue;
    wanted |= warp.waitOn[l]!;
  }
  let done = 0;
  for (let l = 0; l < 32; l++) if (warp.waitKind[l] === Wait.Convergence) done |= 1 << l;
  done &= wanted & warp.live;
  if (done === 0) done = ring(warp);
  if (done === 0) return false;
  leave(warp, done);
  return true;
}

/**
 * Lanes at convergence barriers that wait for each other in a ring, as they do where some left a region without BREAK: ptxas does so when it
 * makes one loop of a spin loop and the loop around it, and lanes that left after a YIELD stay in masks which calls had put away. Of
 * these the lanes of the smallest region, and of equal ones of the first in the code: the inner one. That hardware lets them go is inferred.
 */
function ring(warp: Warp): number {
  let stuck = 0;
  for (let l = 0; l < 32; l++) if (warp.waitKind[l] === Wait.Convergence) stuck |= 1 << l;
  stuck &= warp.live;
  for (let before = 0; before !== stuck; ) {
    before = stuck;
    for (let l = 0; l < 32; l++) if ((missingOf(warp, l) & ~before) !== 0) stuck &= ~(1 << l);
  }
  let [size, pc, done] = [33, 0, 0];
  for (let l = 0; l < 32; l++) {
    if (((stuck >>> l) & 1) === 0) continue;
    const [own, at] = [popcount(partners(warp, l)), warp.waitPc[l]!];
    if (own > size || (own === size && at > pc)) continue;
    if (own < size || at < pc) [size, pc, done] = [own, at, 0];
    done |= 1 << l;
  }
  return done;
}

/** Lanes for which a lane at a convergence barrier still waits. */
function missingOf(warp: Warp, l: number): number {
  return warp.waitKind[l] === Wait.Convergence ? partners(warp, l) & warp.live & ~arrived(warp, l) : 0;
}

/** Lanes at convergence barriers go on, and the rest of their regions does not wait for them any more. */
function leave(warp: Warp, done: number): void {
  for (let l = 0; l < 32; l++) {
    if (((done >>> l) & 1) === 0) continue;
    const b = warp.waitOn[l]! * 32;
    for (let k = 0; k < 32; k++) if (((done >>> k) & 1) === 0) warp.B[b + k] = warp.B[b + k]! & ~(1 << l);
  }
  resume(warp, done);
}

export function isWarpSync(kind: number): boolean {
  return kind === Wait.WarpSync || kind === Wait.Exclusive || kind === Wait.Collective;
}
