import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  cpuMs,
  memoryMb,
  pin,
  type Subject,
  startBuiltGateway,
  startNginx,
  startScript,
} from "./children.ts";
import { compare, type Measured, type Row } from "./compare.ts";
import { measureDuePayments } from "./due-payments.ts";
import { loadHttp } from "./http-load.ts";
import { BUSY_ABOVE, createLoadWatch } from "./machine-load.ts";
import { printTable, say } from "./report.ts";
import { measureVerify, startVerifySubjects } from "./verify.ts";
import { openFanOut } from "./websocket-load.ts";

const VERIFY_CONNECTIONS = 16;
const FAN_OUTS = [
  { clients: 100, frames: 300 },
  { clients: 1000, frames: 30 },
];
const QUIET_MS = 2000;
/** The same server and route by a path with a detour, which the shortcut does not recognise. */
const THROUGH_NEXT = "hivegate through Next";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    /** A few seconds of HTTP alone, to see that it runs. */
    quick: { type: "boolean", default: false },
    /** Measures on a busy machine too, and reports the numbers as unreliable. */
    anyway: { type: "boolean", default: false },
    "busy-above": { type: "string", default: String(BUSY_ABOVE * 100) },
  },
});
/** Returns an option's value: a whole number above zero, as wrk accepts no fractions of a second. */
function wholeNumber(option: "rounds" | "seconds"): number {
  const number = values.quick ? 1 : Number(values[option]);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new TypeError(`--${option} takes a whole number above zero`);
  return number;
}
const [rounds, seconds] = [wholeNumber("rounds"), wholeNumber("seconds")];
const watch = createLoadWatch(Number(values["busy-above"]) / 100);
const run = { rounds, watch };

const addressOf = {
  http: ({ name, url }: Subject) => {
    if (name === THROUGH_NEXT) return `${url}/api/chat/x/../me`;
    return name === "hivegate" ? `${url}/api/chat/me` : `${url}/api/v4/users/me`;
  },
  websocket: ({ name, url }: Subject) =>
    `${url.replace("http", "ws")}${name === "hivegate" ? "/api/chat" : "/api/v4"}/websocket`,
};

async function measureHttp(subject: Subject, connections: number): Promise<Measured> {
  const before = cpuMs(subject.pid);
  const perSecond = await loadHttp(addressOf.http(subject), connections, seconds);
  return { perSecond, cpuUs: ((cpuMs(subject.pid) - before) * 1000) / (perSecond * seconds) };
}

async function measureFanOut(subject: Subject, clients: number, frames: number): Promise<Measured> {
  const fanOut = await openFanOut(addressOf.websocket(subject), backend.url, clients);
  await fanOut.burst(frames);
  const before = cpuMs(subject.pid);
  let ms = 0;
  for (let time = 0; time < 5; time++) ms += await fanOut.burst(frames);
  const total = frames * clients * 5;
  const cpuUs = ((cpuMs(subject.pid) - before) * 1000) / total;
  await fanOut.close();
  return { perSecond: (total / ms) * 1000, cpuUs };
}

async function measureMemory(subjects: readonly Subject[]) {
  const clients = 1000;
  const rows = [];
  for (const subject of subjects) {
    const before = memoryMb(subject.pid);
    const fanOut = await openFanOut(addressOf.websocket(subject), backend.url, clients);
    const kbPerConnection = Math.round(((memoryMb(subject.pid) - before) * 1024) / clients);
    rows.push({ subject: subject.name, kbPerConnection });
    await fanOut.close();
  }
  return rows;
}

/** Whether the machine is idle before the measurement. */
async function isQuiet(): Promise<boolean> {
  say(`looking for ${QUIET_MS / 1000} s at what others do on this machine`);
  watch.begin();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  say(`others used ${watch.end()}`);
  return watch.judge().isQuiet;
}

/** Everything but HTTP: websockets, memory, verification and the store. */
async function measureTheRest(relays: readonly Subject[]) {
  const websockets: Row[] = [];
  for (const { clients, frames } of FAN_OUTS)
    websockets.push(
      ...(await compare(
        `fan-out to ${clients} websockets`,
        relays,
        (it) => measureFanOut(it, clients, frames),
        run,
      )),
    );
  printTable(websockets, "websocket", "columns");
  say("opening 1,000 websockets at each server for its memory");
  const memory = await measureMemory(relays);
  printTable(memory, "memory");
  const subjects = await startVerifySubjects();
  const measure = (subject: Subject) => measureVerify(subject, VERIFY_CONNECTIONS, seconds);
  const verify = await compare("POST /verify", subjects.subjects, measure, run).finally(subjects.stop);
  printTable(verify, "verify", "columns");
  say("filling Redis with a million keys");
  const duePayments = await measureDuePayments();
  printTable([duePayments], "duePayments");
  return { rows: [...websockets, ...verify], memory, duePayments };
}

pin(process.pid, 1);
if (!(await isQuiet()) && !values.anyway) {
  console.error(
    `${watch.judge().verdict}\nNothing was measured; \`npm run bench -- --anyway\` does it all the same.`,
  );
  process.exit(2);
}
say("starting the servers: backend, nginx (where it is installed), undici proxy, hivegate");
const backend = await startScript("backend", "./backend.ts", [], 1);
const gateway = await startBuiltGateway(backend.url);
const all = [
  backend,
  await startNginx(backend.url),
  await startScript("undici proxy", "./undici-proxy.ts", [backend.url], 0),
  gateway,
  { ...gateway, name: THROUGH_NEXT },
].filter((subject) => subject !== null);
try {
  const http: Row[] = [];
  for (const connections of values.quick ? [16] : [64, 16, 1])
    http.push(
      ...(await compare(
        `GET one user, ${connections} connections`,
        all,
        (it) => measureHttp(it, connections),
        run,
      )),
    );
  printTable(http, "http", "columns");
  const relays = all.filter(({ name }) => name !== "undici proxy" && name !== THROUGH_NEXT);
  const rest = values.quick ? { rows: [] } : await measureTheRest(relays);
  const { verdict, ...load } = watch.judge();
  const results = { ...rest, rows: [...http, ...rest.rows], machine: { ...load, verdict } };
  writeFileSync("bench-results.json", `${JSON.stringify(results, null, 2)}\n`);
  say(`${verdict} Written to bench-results.json.`);
  process.exitCode = load.isQuiet ? 0 : 2;
} finally {
  for (const subject of all) subject.stop();
}
process.exit();
