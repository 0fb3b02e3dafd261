/** The thread that `execute` starts. */
import { worker } from "workerpool";
import { runPoint } from "./point.js";

worker({ runPoint });
