// What the main thread is doing, shared with the thread of the control channel as one word of memory; a second word counts
// the interrupts since the running cell began.
"use strict";
const State = {
  /** The kernel's own code, or nothing: not to be cut off. */
  kernel: 0,
  /** A cell up to its first `await`: ends by SIGINT. */
  running: 1,
  /** A cell after an `await`. */
  waiting: 2,
};

module.exports = { State };
