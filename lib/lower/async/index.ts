/** Asynchronous copies, barriers in shared memory and clusters by opcode. */
import type { Family } from "../family.js";
import { clusterFamily } from "./cluster.js";
import { cp } from "./copy.js";
import { launchControlFamily } from "./launch-control.js";
import { mbarrier } from "./mbarrier.js";

export const asyncFamily: Family = { ...clusterFamily, ...launchControlFamily, cp, mbarrier };
