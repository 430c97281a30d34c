import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Collects unreferenced objects, and runs their finalizers. */
export async function collectGarbage(): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
