import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  canPin,
  cpuMs,
  hasNginx,
  hasWrk,
  memoryMb,
  pin,
  type Settings,
  type Subject,
  startBuiltGateway,
  startConstantBackend,
  startNginx,
  startScript,
  startUnderNext,
} from "./children.ts";
import { compare, findRegressions, type Measured, type Row } from "./compare.ts";
import { measureDuePayments } from "./due-payments.ts";
import { type LoadRequest, loadHttp } from "./http-load.ts";
import { BUSY_ABOVE, createLoadWatch } from "./machine-load.ts";
import { type RecordedRequest, recordCalls } from "./record-calls.ts";
import { printTable, say } from "./report.ts";
import { measureServed } from "./served.ts";
import { measureSettle } from "./settle.ts";
import { BARE_RECOVERY, measureVerify, startVerifySubjects } from "./verify.ts";
import { openFanOut } from "./websocket-load.ts";

const CONNECTIONS = [64, 16, 1];
const CALLS_CONNECTIONS = 16;
const VERIFY_CONNECTIONS = 16;
const SETTLED_AT_ONCE = 200;
const FILE_CONNECTIONS = 4;
const FILE_MB = 4;
const FILE_ID = "f".repeat(26);
const FAN_OUTS = [
  { clients: 100, frames: 300 },
  { clients: 1000, frames: 30 },
];
const QUIET_MS = 2000;
const GATEWAY = "hivegate";
const DIRECT = "direct calls";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    /** Measures only HTTP, for a few seconds, to check that the bench runs. */
    quick: { type: "boolean", default: false },
    /** Comma-separated names of the parts to measure: http, calls, file, websocket, payments, served, store. */
    only: { type: "string" },
    /** Measures even on a busy machine, and reports the numbers as unreliable. */
    anyway: { type: "boolean", default: false },
    "busy-above": { type: "string", default: String(BUSY_ABOVE * 100) },
    /** The file for the results. */
    write: { type: "string", default: "bench-results.json" },
    /** Results of an earlier run. Rows that cost more now are named, and the exit code is 1. */
    compare: { type: "string" },
  },
});
/** Returns an option's value: a positive whole number, as wrk accepts no fractions of a second. */
function wholeNumber(option: "rounds" | "seconds"): number {
  const number = values.quick ? 1 : Number(values[option]);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new TypeError(`--${option} takes a whole number above zero`);
  return number;
}
const [rounds, seconds] = [wholeNumber("rounds"), wholeNumber("seconds")];
const earlier: readonly Row[] = values.compare ? JSON.parse(readFileSync(values.compare, "utf8")).rows : [];
const watch = createLoadWatch(Number(values["busy-above"]) / 100);
const wanted = values.quick ? ["http"] : values.only?.split(",");
const isWanted = (part: string) => wanted?.includes(part) ?? true;

/** A server, and the request that is sent to it. */
type Target = Subject & { asked: LoadRequest };

const measureHttp = async ({ asked, pid }: Target, connections: number): Promise<Measured> => {
  const before = cpuMs(pid);
  const load = await loadHttp(asked, connections, seconds);
  return { ...load, cpuUs: ((cpuMs(pid) - before) * 1000) / (load.perSecond * seconds) };
};

const http = { rounds, watch, bases: ["httpxy", "undici proxy"] };
const calls = { rounds, watch, bases: [DIRECT] };
const sockets = { rounds, watch, bases: ["nginx", "backend"] };

async function measureFanOut(
  { url, pid }: Subject,
  {
    path,
    clients,
    frames,
    backendUrl,
  }: { path: string; clients: number; frames: number; backendUrl: string },
): Promise<Measured> {
  const fanOut = await openFanOut(`${url.replace("http", "ws")}${path}`, backendUrl, clients);
  await fanOut.burst(frames);
  const before = cpuMs(pid);
  let ms = 0;
  for (let time = 0; time < 5; time++) ms += await fanOut.burst(frames);
  const total = frames * clients * 5;
  const cpuUs = ((cpuMs(pid) - before) * 1000) / total;
  await fanOut.close();
  return { perSecond: (total / ms) * 1000, cpuUs };
}

/** Returns whether the machine is idle before the measurement. */
async function isQuiet(): Promise<boolean> {
  say(`looking for ${QUIET_MS / 1000} s at what others do on this machine`);
  watch.begin();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  say(`others used ${watch.end()}`);
  return watch.judge().isQuiet;
}

const started: Array<{ stop(): void }> = [];
const keep = <T extends { stop(): void }>(subject: T): T => {
  started.push(subject);
  return subject;
};

/** Measures HTTP through the gateway, next to proxies that do less and the same routes through Next. */
async function measureRequests(): Promise<Row[]> {
  say("recording the gateway's backend calls on the sandbox");
  const recording = await recordCalls({ RATE_LIMITS: "off" });
  const { me, posts, bootstrap } = recording.requests;
  const userTarget = "/api/v4/users/me";
  const fileTarget = `/api/v4/files/${FILE_ID}`;
  const backend = keep(
    await startConstantBackend(
      new Map([...recording.answers, [`GET ${fileTarget}`, "x".repeat(FILE_MB * 1024 * 1024)]]),
    ),
  );
  const settings: Settings = {
    ...recording.settings,
    CHAT_BASE_URL: `${backend.url}/api/v4`,
    RATE_LIMITS: "on",
  };
  // Each gateway starts with the store that the recorded gateway left.
  const withOwnStore = (more: Settings = {}): Settings => {
    const folder = mkdtempSync(join(tmpdir(), "hivegate-bench-"));
    cpSync(settings.DATA_DIR ?? "", folder, { recursive: true });
    return { ...settings, DATA_DIR: folder, ...more };
  };
  const gateway = keep(await startBuiltGateway(GATEWAY, withOwnStore()));
  const underNext = keep(await startUnderNext(`${GATEWAY} through Next`, withOwnStore()));
  const proxies = [
    await startNginx(backend.url),
    await startScript("undici proxy", "./undici-proxy.ts", [backend.url], 0),
    await startScript("httpxy", "./httpxy-proxy.ts", [backend.url], 0),
  ].flatMap((subject) => (subject ? [keep(subject)] : []));
  const { headers } = me;
  const atBackend = (path: string) => (subject: Subject) => ({
    ...subject,
    asked: { url: subject.url + path, method: "GET" as const, headers, body: "" },
  });
  const atGateway = (
    subject: Subject,
    { method, path, headers: sent, body }: Omit<RecordedRequest, "answer" | "groups">,
  ) => ({
    ...subject,
    asked: { url: subject.url + path, method, headers: sent, body },
  });
  const rows: Row[] = [];

  if (isWanted("http")) {
    const targets = [
      ...[backend, ...proxies].map(atBackend(userTarget)),
      ...[gateway, underNext].map((subject) => atGateway(subject, me)),
    ];
    const found: Row[] = [];
    for (const connections of values.quick ? [16] : CONNECTIONS)
      found.push(
        ...(await compare(
          `GET one user, ${connections} connections`,
          targets,
          (it) => measureHttp(it, connections),
          http,
        )),
      );
    printTable(found, "http", "columns");
    rows.push(...found);
  }
  if (isWanted("calls")) {
    const unlimited = keep(await startBuiltGateway(GATEWAY, withOwnStore({ RATE_LIMITS: "off" })));
    const found: Row[] = [];
    for (const [what, request] of Object.entries({ "a page of posts": posts, "a bootstrap": bootstrap })) {
      const { groups, answer } = request;
      const origins = { mattermost: backend.url, chain: recording.chainUrl };
      const script = JSON.stringify({ groups, answer, origins });
      const direct = keep(await startScript(DIRECT, "./direct-calls.ts", [script], 0));
      const count = groups.flat().length;
      found.push(
        ...(await compare(
          `${what} (${count} calls), ${CALLS_CONNECTIONS} connections`,
          [atGateway(direct, request), atGateway(unlimited, request)],
          (it) => measureHttp(it, CALLS_CONNECTIONS),
          calls,
        )),
      );
    }
    printTable(found, "calls", "columns");
    rows.push(...found);
  }
  if (isWanted("file")) {
    const file = { method: "GET" as const, path: `/api/chat/files/${FILE_ID}`, headers, body: "" };
    const targets = [...proxies.map(atBackend(fileTarget)), atGateway(gateway, file)];
    const perMb = async (it: Target) => {
      const { cpuUs, ...load } = await measureHttp(it, FILE_CONNECTIONS);
      return { ...load, cpuUs: cpuUs / FILE_MB };
    };
    const found = await compare(
      `GET a file of ${FILE_MB} MB, ${FILE_CONNECTIONS} connections`,
      targets,
      perMb,
      http,
    );
    printTable(found, "file", "columns");
    rows.push(...found);
  }
  await recording.close();
  return rows;
}

/** Measures websockets through the gateway and through nginx. */
async function measureWebsockets() {
  const backend = keep(await startScript("backend", "./backend.ts", [], 1));
  const chat = { CHAT_BASE_URL: `${backend.url}/api/v4`, HIVE_NODES: backend.url, RATE_LIMITS: "off" };
  const gateway = keep(await startBuiltGateway(GATEWAY, chat));
  const nginx = await startNginx(backend.url);
  const relays = [backend, ...(nginx ? [keep(nginx)] : []), gateway];
  const pathOf = ({ name }: Subject) => `${name === GATEWAY ? "/api/chat" : "/api/v4"}/websocket`;
  const rows: Row[] = [];
  for (const { clients, frames } of FAN_OUTS)
    rows.push(
      ...(await compare(
        `fan-out to ${clients} websockets`,
        relays,
        (it) => measureFanOut(it, { path: pathOf(it), clients, frames, backendUrl: backend.url }),
        sockets,
      )),
    );
  printTable(rows, "websocket", "columns");
  say("opening 1,000 websockets at each server for its memory");
  const memory = [];
  const clients = 1000;
  for (const relay of relays) {
    const before = memoryMb(relay.pid);
    const fanOut = await openFanOut(
      `${relay.url.replace("http", "ws")}${pathOf(relay)}`,
      backend.url,
      clients,
    );
    const kbPerConnection = Math.round(((memoryMb(relay.pid) - before) * 1024) / clients);
    memory.push({ subject: relay.name, kbPerConnection });
    await fanOut.close();
  }
  printTable(memory, "memory");
  return { rows, memory };
}

async function measurePayments(): Promise<Row[]> {
  const { floor, facilitator, stop } = await startVerifySubjects();
  keep({ stop });
  const run = { rounds, watch, bases: [BARE_RECOVERY] };
  const verify = await compare(
    "POST /verify",
    [floor, facilitator],
    (subject) => measureVerify(subject, VERIFY_CONNECTIONS, seconds),
    run,
  );
  const settle = await compare(
    `POST /settle, ${SETTLED_AT_ONCE} at once`,
    [facilitator],
    (subject) => measureSettle(subject, SETTLED_AT_ONCE),
    { ...run, bases: [GATEWAY] },
  );
  const rows = [...verify, ...settle];
  printTable(rows, "verify", "columns");
  return rows;
}

pin(process.pid, 1);
if (!(await isQuiet()) && !values.anyway) {
  console.error(
    `${watch.judge().verdict}\nNothing was measured; \`npm run bench -- --anyway\` does it all the same.`,
  );
  process.exit(2);
}
say(
  `load by ${hasWrk ? "wrk" : "a Node program, because wrk is not installed"}; backend: ${hasNginx ? "nginx" : "a Node server, because nginx is not installed"}; ${canPin ? "servers on one core, backend and load on the other" : "no taskset, so that servers, backend and load share all cores"}`,
);
try {
  const requests = ["http", "calls", "file"].some(isWanted) ? await measureRequests() : [];
  const websockets = isWanted("websocket") ? await measureWebsockets() : { rows: [] };
  const payments = isWanted("payments") ? await measurePayments() : [];
  let served: Awaited<ReturnType<typeof measureServed>> | undefined;
  if (isWanted("served")) {
    say("paying for a minute on a chain with a block every three seconds");
    served = await measureServed();
    printTable([served], "served");
  }
  let duePayments: Awaited<ReturnType<typeof measureDuePayments>> | undefined;
  if (isWanted("store")) {
    say("filling Redis with a million keys");
    duePayments = await measureDuePayments();
    printTable([duePayments], "duePayments");
  }
  const { verdict, ...load } = watch.judge();
  const rows = [...requests, ...websockets.rows, ...payments];
  const results = { ...websockets, served, duePayments, rows, machine: { ...load, verdict } };
  writeFileSync(values.write, `${JSON.stringify(results, null, 2)}\n`);
  say(`${verdict} Written to ${values.write}.`);
  process.exitCode = load.isQuiet ? 0 : 2;
  const regressions = findRegressions(earlier, rows);
  for (const regression of regressions) console.error(`Slower than in ${values.compare}: ${regression}`);
  if (regressions.length > 0) process.exitCode = 1;
} finally {
  for (const subject of started) subject.stop();
}
process.exit();
