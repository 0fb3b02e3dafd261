/** Who looks on while a launch runs: told what instructions touch and who waits for whom. Runs with one go in closures. */
import type { Cta, Warp } from "./state.js";

export interface Watch {
  /** A block starts, and has ended. */
  start(cta: Cta): void;
  end(cta: Cta): void;
  /** The active lanes come to instruction `pc`; those of `mask` (0: none) execute it, and have. */
  issue(w: Warp, pc: number, mask: number): void;
  /** Lanes go on together in translated code, which touches no memory. */
  run(w: Warp, active: number): void;
  done(w: Warp): void;
  /**
   * The running instruction touches `size` bytes for a lane. `asked`: the space that it names; `space` and `at`: where they are, of
   * shared memory in that of `owner`. `place` has the bytes.
   */
  access(
    w: Warp,
    asked: string,
    space: "global" | "shared" | "local",
    owner: Cta | null,
    at: number,
    size: number,
    lane: number,
    place: { readonly bytes: Uint8Array; readonly at: number },
  ): void;
  /** Lanes come to a barrier; lanes go on because others came. */
  tell(w: Warp, mask: number, to: object): void;
  learn(w: Warp, mask: number, from: object): void;
  /** A lane works on the mbarrier at a shared address, to which its last access was; lanes have been told that its phase has ended. */
  arrive(w: Warp, lane: number, address: number): void;
  passed(w: Warp, mask: number, address: number): void;
  /** Lanes of a warp have waited for each other. */
  meet(w: Warp, mask: number): void;
}
