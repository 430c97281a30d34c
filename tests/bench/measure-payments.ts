import type { Subject } from "./children.ts";
import { measureInTurn } from "./measure-in-turn.ts";
import type { Plan } from "./plan.ts";
import { printRows } from "./report.ts";
import type { Row } from "./results.ts";
import { measureSettle } from "./settle.ts";
import { BARE_RECOVERY, measureVerify, startVerifySubjects } from "./verify.ts";

const VERIFY_CONNECTIONS = 16;
const SETTLED_AT_ONCE = 200;

/** Measures a facilitator's verifications and settlements, next to the recovery of a key for each. */
export async function measurePayments({ rounds, seconds, watch, keep }: Plan): Promise<Row[]> {
  const { floor, facilitator, stop } = await startVerifySubjects();
  keep({ stop });
  const run = { rounds, watch, bases: [BARE_RECOVERY] };
  const verify = (subject: Subject) => measureVerify(subject, VERIFY_CONNECTIONS, seconds);
  const verified = await measureInTurn("POST /verify", [floor, facilitator], verify, run);
  const settled = await measureInTurn(
    `POST /settle, ${SETTLED_AT_ONCE} at once`,
    [floor, facilitator],
    (subject) => (subject === floor ? verify(subject) : measureSettle(subject, SETTLED_AT_ONCE)),
    run,
  );
  const rows = [...verified, ...settled];
  printRows(rows, "verify");
  return rows;
}
